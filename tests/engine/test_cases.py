"""Cases that broke other people's software: the engine's half, each by its number."""

import time
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.engine.bundles import (
    Bet,
    Document,
    assert_identity,
    dividends,
    dump,
    engine,
    level_of,
    make_bet,
    make_conditions,
    make_level,
    make_result,
    make_terms,
    read,
    settled,
    winnings,
    write_bundle,
)
from totalizator.engine.dividends import divide
from totalizator.engine.tally import parse_tally
from totalizator.engine.terms import parse_terms

FREE_STAKE: Document = {"price": {"min": 1, "max": 10_000_000}, "divide_by": "stakes"}


def tally_of(turnover: int, **levels: tuple[int, int, dict[str, int]]) -> Document:
    """Make a tally; each level is (lines, stakes, bets by winning stake)."""
    return {
        "turnover": turnover,
        "lines": sum(lines for lines, _, _ in levels.values()),
        "levels": {
            code: {"lines": lines, "stakes": stakes, "bets": bets} for code, (lines, stakes, bets) in levels.items()
        },
    }


def amounts(directory: Path) -> dict[str, int]:
    """What each ticket won in all."""
    won: dict[str, int] = {}
    for row in winnings(directory):
        ticket, _, _, amount = row.split(",")
        won[ticket] = won.get(ticket, 0) + int(amount)
    return won


@pytest.mark.parametrize("terms", [make_terms(), make_terms(**FREE_STAKE)], ids=["by line", "by stake"])
def test_c01_what_three_cannot_share_is_the_remainder(tmp_path: Path, terms: Document) -> None:
    statement = dividends(tmp_path, terms, tally_of(10_000, top=(3, 3000, {"1000": 3})))
    level = level_of(statement, "top")
    assert (level["fund"], level["paid"], level["remainder"]) == (10_000, 3 * 3333, 1)
    assert (statement["winnings"], statement["jackpot_out"]) == (9999, 1)
    assert_identity(statement)


@pytest.mark.parametrize("terms", [make_terms(), make_terms(**FREE_STAKE)], ids=["by line", "by stake"])
def test_c02_no_winning_is_rounded_up(tmp_path: Path, terms: Document) -> None:
    statement = dividends(tmp_path, terms, tally_of(20_000, top=(3, 3000, {"1000": 3})))
    level = level_of(statement, "top")
    assert (level["paid"], level["remainder"]) == (3 * 6666, 2)


def test_c02_ten_thousand_random_pools_never_pay_more_than_the_fund() -> None:
    chance = Random(2)
    levels = [make_level("3", "1", "1/2"), make_level("2", "2/3", "3/10"), make_level("1", "1/3", "1/5")]
    pools = [
        parse_terms(dump(make_terms(levels=levels, fund=fund, empty_level=empty, **divided)))
        for fund in ("3/5", "7/10", "0.777")
        for empty in ("jackpot", "other_levels", "carry_top")
        for divided in ({}, FREE_STAKE)
    ]
    for _ in range(10_000):
        bets = [{chance.randint(1, 900): chance.randint(1, 9) for _ in range(chance.randint(0, 3))} for _ in levels]
        tally = tally_of(
            chance.randint(10_000, 10_000_000),
            **{
                level["code"]: (sum(on.values()), sum(s * n for s, n in on.items()), {str(s): n for s, n in on.items()})
                for level, on in zip(levels, bets, strict=True)
            },
        )
        terms = chance.choice(pools)
        statement = divide(terms, parse_tally(terms, dump(tally)))
        assert statement.winnings is not None
        assert statement.winnings <= statement.fund
        assert statement.added == 0


def test_c04_the_spare_kopeck_goes_to_the_highest_level_in_any_order(tmp_path: Path) -> None:
    high, low = make_level("high", "1", "75/100"), make_level("low", "2/3", "25/100")
    tally = tally_of(9999, high=(1, 100, {"100": 1}), low=(1, 100, {"100": 1}))
    for number, levels in enumerate(([high, low], [low, high])):
        statement = dividends(tmp_path / str(number), make_terms(levels=levels), tally)
        assert [(level["code"], level["fund"]) for level in statement["levels"]] == [("high", 7500), ("low", 2499)]


def test_c06_a_take_of_everything_and_of_nothing(tmp_path: Path) -> None:
    bets = [make_bet(number, "1;1;1", 10_000) for number in range(1, 6)]
    for fund, paid in (("0", 0), ("1", 10_000)):
        directory = tmp_path / fund
        terms = make_terms(price={"line": 10_000}, fund=fund)
        statement = settled(write_bundle(directory, terms, bets, make_result("1", "1", "1")))
        assert (statement["fund"], statement["takeout"]) == (5 * paid, 50_000 - 5 * paid)
        assert winnings(directory) == [f"T-000{number},top,1,{paid}" for number in range(1, 6)]
        assert_identity(statement)


@pytest.mark.parametrize(("minimum", "paid", "added"), [(None, 80_000, 0), ("1", 100_000, 20_000)])
def test_c07_everybody_won(tmp_path: Path, minimum: str | None, paid: int, added: int) -> None:
    options: Document = {"min_dividend": {"amount": minimum, "below": "top_up"}} if minimum else {}
    terms = make_terms(fund="80/100", **FREE_STAKE, **options)
    bets = [make_bet(number, "1;1;1", 25_000) for number in range(1, 5)]
    statement = settled(write_bundle(tmp_path, terms, bets, make_result("1", "1", "1")))
    level = level_of(statement, "top")
    assert level["coefficient"] == ("1" if minimum else "4/5")
    assert level["coefficient_shown"] == ("1.000000" if minimum else "0.800000")
    assert (statement["winnings"], statement["added"], level["remainder"]) == (paid, added, 0)
    assert_identity(statement)


def test_c09_one_player_with_fifteen_winning_tickets(tmp_path: Path) -> None:
    bets = [make_bet(number, "1;1;1" if number <= 15 else "2;2;2", 100) for number in range(1, 31)]
    settled(write_bundle(tmp_path, make_terms(), bets, make_result("1", "1", "1")))
    assert winnings(tmp_path) == [f"T-{number:04},top,1,200" for number in range(1, 16)]
    assert sum(amounts(tmp_path).values()) == 3000


def test_c10_levels_are_exclusive(tmp_path: Path) -> None:
    terms = make_terms(
        price={"line": 1000},
        conditions=make_conditions(*["12"] * 10),
        levels=[make_level("all", "1", "1/2"), make_level("eight", "8/10", "1/2")],
        guarantee={"all": 50_000, "eight": 50_000},
    )
    ten, eight = ";".join("1" * 10), ";".join("1" * 8 + "22")
    result = make_result(*["1"] * 10)
    statement = settled(write_bundle(tmp_path, terms, [make_bet(1, ten, 1000), make_bet(2, eight, 1000)], result))
    assert winnings(tmp_path) == ["T-0001,all,1,50000", "T-0002,eight,1,50000"]
    assert statement["added"] == 98_000
    assert_identity(statement)


@pytest.mark.parametrize(("lowest", "pays"), [("2/3", True), ("6667/10000", False), ("6666/10000", True)])
def test_c11_bounds_of_a_level_are_exact_fractions(tmp_path: Path, lowest: str, pays: bool) -> None:
    terms = make_terms(levels=[make_level("top", f"{lowest}..1", "1")])
    settled(write_bundle(tmp_path, terms, [make_bet(1, "1;1;2", 100)], make_result("1", "1", "1")))
    assert winnings(tmp_path) == (["T-0001,top,1,100"] if pays else [])


def test_c13_a_dead_heat_pays_both_at_one_coefficient(tmp_path: Path) -> None:
    terms = make_terms(conditions=make_conditions("ABC"), fund="90/100", **FREE_STAKE)
    bets = [
        make_bet(1, "A", 10_000),
        make_bet(2, "A", 30_000),
        make_bet(3, "B", 10_000),
        make_bet(4, "C", 50_000),
    ]
    statement = settled(write_bundle(tmp_path, terms, bets, make_result("AB")))
    assert level_of(statement, "top")["coefficient"] == "9/5"
    assert amounts(tmp_path) == {"T-0001": 18_000, "T-0002": 54_000, "T-0003": 18_000}
    assert statement["winnings"] == statement["fund"] == 90_000


def five_matches(empty: str = "jackpot") -> Document:
    return make_terms(
        price={"line": 25_000},
        conditions=make_conditions(*["12"] * 5),
        levels=[make_level("all", "1", "60/100"), make_level("four", "4/5", "40/100")],
        empty_level=empty,
    )


def test_c15_an_empty_level_goes_to_the_jackpot(tmp_path: Path) -> None:
    bets = [make_bet(number, "1;1;1;1;2", 25_000) for number in range(1, 5)]
    statement = settled(write_bundle(tmp_path, five_matches(), bets, make_result(*"11111")))
    assert amounts(tmp_path) == {f"T-000{number}": 10_000 for number in range(1, 5)}
    assert statement["jackpot_out"] == 60_000
    assert level_of(statement, "all")["moved"] == [{"to": "jackpot", "amount": 60_000, "why": "empty"}]
    assert_identity(statement)


def test_c16_nobody_won_at_all(tmp_path: Path) -> None:
    bets = [make_bet(number, "2;2;2;2;2", 25_000) for number in range(1, 5)]
    for empty in ("jackpot", "other_levels", "next_lower", "next_higher"):
        directory = tmp_path / empty
        statement = settled(write_bundle(directory, five_matches(empty), bets, make_result(*"11111")))
        assert (statement["winnings"], statement["jackpot_out"], winnings(directory)) == (0, 100_000, [])
        assert_identity(statement)


@pytest.mark.parametrize(("policy", "pays"), [("all_match", True), ("exclude", False)])
def test_c20_a_void_condition_counts_as_matched_or_shrinks_the_base(tmp_path: Path, policy: str, pays: bool) -> None:
    """Eight of nine right: 9/10 reaches a level from 90 %, 8/9 does not."""
    terms = make_terms(
        conditions=make_conditions(*["12"] * 10),
        levels=[make_level("ninety", "9/10..1", "1")],
        void_condition=policy,
    )
    bets = [make_bet(1, ";".join("1" * 8 + "21"), 100)]
    statement = settled(write_bundle(tmp_path, terms, bets, make_result(*["1"] * 9, "void")))
    assert statement["void"] == ["10"]
    assert winnings(tmp_path) == (["T-0001,ninety,1,100"] if pays else [])


def test_c20_by_default_a_void_condition_returns_everything(tmp_path: Path) -> None:
    bets = [make_bet(1, "1;1;1", 100), make_bet(2, "2;2;2", 100)]
    state = {"jackpot_in": 70, "carried": {"top": 30}}
    statement = settled(write_bundle(tmp_path, make_terms(), bets, make_result("1", "1", "void"), state))
    assert (statement["refunds"], statement["takeout"], statement["fund"]) == (200, 0, 0)
    assert (statement["jackpot_out"], statement["carried"]) == (70, {"top": 30})
    assert winnings(tmp_path) == []
    assert read(tmp_path / "tally.json")["returned"] is True
    assert_identity(statement, 30)


def stamped(number: int, stake: int, second: str) -> Bet:
    return make_bet(number, "1;1;1", stake, f"2026-12-05T11:{second}Z")


def test_c30_closing_is_exclusive(tmp_path: Path) -> None:
    terms = make_terms(closes_at="2026-12-05T11:32:34Z", **FREE_STAKE)
    result = make_result("1", "1", "1", first_started_at="2026-12-05T11:32:34Z")
    in_time = write_bundle(tmp_path / "in", terms, [stamped(1, 100, "32:33.999000")], result)
    assert settled(in_time)["late"] == []
    too_late = write_bundle(tmp_path / "out", terms, [stamped(1, 100, "32:34.000000")], result)
    run = engine("settle", too_late)
    assert run.code == 2
    assert run.err.startswith("OUT_OF_TIME: bets.csv, line 2")


def test_c30_bets_after_the_start_are_returned_winning_and_losing_alike(tmp_path: Path) -> None:
    """Pools closed at 11:37:45, the race had started at 11:32:34: 86 bets worth 473.00 go back."""
    terms = make_terms(closes_at="2026-12-05T11:37:45Z", fund="7/10", **FREE_STAKE)
    early = [stamped(number, 800, "32:33.999999") for number in range(1, 488)]
    late = [stamped(number, 550, "32:34.000000" if number % 2 else "37:44.999999") for number in range(500, 586)]
    late[3] = make_bet(503, "2;2;2", 550, "2026-12-05T11:33:00.000000Z")  # a loser
    result = make_result("1", "1", "1", first_started_at="2026-12-05T11:32:34Z")
    statement = settled(write_bundle(tmp_path, terms, early + late, result))
    assert len(statement["late"]) == 86
    assert statement["late"] == [bet.ticket for bet in late]
    assert statement["refunds"] == 47_300
    assert statement["turnover"] - statement["refunds"] == 389_600
    assert statement["fund"] == 272_720
    assert not set(amounts(tmp_path)) & set(statement["late"])
    assert_identity(statement)


def price(directory: Path, terms: Document, selections: str) -> Any:
    directory.mkdir(exist_ok=True)
    (directory / "terms.json").write_bytes(dump(terms))
    return engine("price", directory, selections)


def test_c39_a_system_bet_is_priced_without_being_expanded(tmp_path: Path) -> None:
    terms = make_terms(price={"line": 10}, max_lines=10_000, conditions=make_conditions(*["1X2"] * 10))
    assert price(tmp_path, terms, ";".join(["1+X"] * 10)).out == '{"lines":1024,"price":10240}\n'
    began = time.perf_counter()
    run = price(tmp_path, terms, ";".join(["1+X+2"] * 10))
    assert time.perf_counter() - began < 0.1
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("TOO_MANY_LINES: ")


def test_c39_the_cap_holds_in_a_bundle_too_and_for_any_size(tmp_path: Path) -> None:
    terms = make_terms(price={"line": 1}, max_lines=10_000, conditions=make_conditions(*["1X2"] * 200))
    assert price(tmp_path, terms, ";".join(["1+X+2"] * 200)).err.startswith("TOO_MANY_LINES: ")
    bet = make_bet(1, ";".join(["1+X+2"] * 200), 3**200)
    write_bundle(tmp_path, terms, [bet], make_result(*["1"] * 200))
    run = engine("settle", tmp_path)
    assert run.code == 2
    assert run.err.startswith("TOO_MANY_LINES: bets.csv, line 2")


def test_c39_a_line_at_exactly_the_cap_is_taken(tmp_path: Path) -> None:
    terms = make_terms(max_lines=8, conditions=make_conditions("12", "12", "12"))
    assert price(tmp_path, terms, "1+2;1+2;1+2").out == '{"lines":8,"price":800}\n'
    assert Fraction(800, 8) == terms["price"]["line"]
