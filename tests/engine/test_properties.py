"""What must hold of every settlement, whatever the terms (I3, I5, I9, D-15)."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.engine import brute_division, brute_force
from tests.engine.bundles import (
    Bet,
    Document,
    assert_identity,
    dividends,
    engine,
    make_bet,
    make_conditions,
    make_level,
    make_result,
    make_terms,
    settled,
    winnings,
    write_bundle,
)
from tests.engine.draws import Draw, draws, tallies
from tests.engine.test_second_engine import comparable

SOME = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def divided(terms: Document, tally: Document) -> Document:
    with TemporaryDirectory() as folder:
        return dividends(Path(folder), terms, tally)


@given(tallies())
@SOME
def test_the_fund_is_not_less_than_announced_by_less_than_a_kopeck(pair: tuple[Document, Document]) -> None:
    terms, tally = pair
    statement = divided(terms, tally)
    net = tally["turnover"] - tally["refunds"]
    assume(net >= terms["min_turnover"])
    exact = net * Fraction(terms["fund"])
    assert exact <= statement["fund"] < exact + 1
    assert statement["takeout"] == net - statement["fund"] >= 0


@given(tallies())
@SOME
def test_no_sum_is_negative_and_no_move_empty(pair: tuple[Document, Document]) -> None:
    statement = divided(*pair)
    sums = ("turnover", "refunds", "takeout", "fund", "added", "jackpot_in", "jackpot_out", "winnings")
    assert min(statement[key] for key in sums) >= 0
    assert all(amount > 0 for amount in statement["carried"].values())
    for level in statement["levels"]:
        assert min(level["fund"], level["paid"], level["remainder"]) >= 0
        assert all(move["amount"] > 0 and move["to"] != level["code"] for move in level["moved"])
        if not level["lines"]:
            assert (level["dividend"], level["coefficient"], level["paid"], level["remainder"]) == (None, None, 0, 0)


@given(tallies())
@SOME
def test_i5_with_monotone_a_higher_level_never_pays_less(pair: tuple[Document, Document]) -> None:
    terms, tally = pair
    terms = {key: value for key, value in terms.items() if key not in ("min_dividend", "max_dividend")}
    levels = [{key: value for key, value in level.items() if key != "min_dividend"} for level in terms["levels"]]
    terms = {**terms, "game": "custom", "levels": levels, "monotone": True}
    statement = divided(terms, tally)
    units = "lines" if terms["divide_by"] == "lines" else "stakes"
    live = [level for level in statement["levels"] if level["lines"]]
    if terms.get("rounding", {}).get("mode") != "nearest":
        for higher, lower in pairwise(live):
            left, right = (Fraction(level["paid"] + level["remainder"], level[units]) for level in (higher, lower))
            assert left >= right
    assert_identity(statement, sum(tally["carried"].values()))


@given(draws())
@SOME
def test_i9_a_second_run_gives_the_same_bytes(draw: Draw) -> None:
    with TemporaryDirectory() as folder:
        directory = write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state)
        settled(directory)
        first = {file.name: file.read_bytes() for file in directory.iterdir()}
        settled(directory)
        assert {file.name: file.read_bytes() for file in directory.iterdir()} == first
        assert engine("verify", directory).code == 0
    assert sorted(first) == sorted(
        ["terms.json", "bets.csv", "result.json", "state.json", "tally.json", "statement.json", "winnings.csv"]
    )


@given(draws())
@SOME
def test_who_gets_a_stake_back_wins_nothing_and_nobody_is_paid_twice(draw: Draw) -> None:
    with TemporaryDirectory() as folder:
        statement = settled(write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state))
        rows = [row.split(",") for row in winnings(Path(folder))]
    paid = [(ticket, level) for ticket, level, _, _ in rows]
    assert len(set(paid)) == len(paid)
    assert not {ticket for ticket, _ in paid} & {*statement["late"], *statement["cancelled"]}
    for level in statement["levels"]:
        assert sum(int(amount) for _, code, _, amount in rows if code == level["code"]) == level["paid"]
        dead = level["dividend"] == 0 or level["coefficient"] == "0"
        assert dead or sum(int(lines) for _, code, lines, _ in rows if code == level["code"]) == level["lines"]


def many_bets(chance: Random, count: int, outcomes: str, places: int, price: int | None) -> list[Bet]:
    """Make many bets, a tenth of them systems, some at the same instant, some late."""
    bets = []
    for number in range(count):
        widths = [chance.choice((1, 1, 2)) if chance.random() < 0.1 else 1 for _ in range(places)]
        marks = ["+".join(sorted(chance.sample(outcomes, width), key=outcomes.index)) for width in widths]
        when = f"2026-12-05T{chance.randint(6, 11):02}:{chance.randint(0, 59):02}:00.000000Z"
        bet = make_bet(number, ";".join(marks), 0, when)
        stake = (price or chance.randint(1, 300)) * bet.lines
        bets.append(Bet(f"B-{number:06}", bet.marks, stake, when))
    return bets


@pytest.mark.parametrize("by", ["lines", "stakes"])
def test_a_file_of_many_blocks_is_settled_as_line_by_line(tmp_path: Path, by: str) -> None:
    """25,000 bets, about two megabytes: past the size in which the engine reads and checks."""
    chance = Random(7)
    terms = make_terms(
        price={"line": 25} if by == "lines" else {"min": 1, "max": 10**6},
        divide_by=by,
        conditions=make_conditions(*["1X2"] * 6),
        levels=[make_level(str(n), f"{n}/6", share) for n, share in ((6, "1/2"), (5, "1/3"), (4, "1/6"))],
        fund="7/10",
        void_condition="all_match",
    )
    bets = many_bets(chance, 25_000, "1X2", 6, 25 if by == "lines" else None)
    result = make_result("1", "X", "void", "2", "1X", "2", first_started_at="2026-12-05T11:30:00Z")
    state = {"jackpot_in": 5, "cancelled": [f"B-{number:06}" for number in range(0, 25_000, 611)]}
    statement = settled(write_bundle(tmp_path, terms, bets, result, state))
    assert (tmp_path / "bets.csv").stat().st_size > 2 << 20
    tally = brute_force.tally_of(terms, bets, result, state)
    assert comparable(statement) == comparable(brute_division.statement_of(terms, tally))
    assert winnings(tmp_path) == brute_force.winnings_of(terms, bets, result, state)
    assert len(statement["late"]) > 1000
    assert len(statement["cancelled"]) == 41
