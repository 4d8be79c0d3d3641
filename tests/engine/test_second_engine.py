"""The engine against a second one that was written from the description and expands every line (I1, I9, X3)."""

from collections import Counter
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings

from tests.engine import brute_division, brute_force
from tests.engine.bundles import (
    STARTED,
    Document,
    assert_identity,
    dividends,
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
from tests.engine.draws import Draw, draws, tallies

MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def comparable(statement: Document) -> Document:
    """Put a level's moves in one form: the sum that went to each target for each reason."""
    levels = []
    for level in statement["levels"]:
        moved: Counter[tuple[str, str]] = Counter()
        for move in level["moved"]:
            moved[move["to"], move["why"]] += move["amount"]
        levels.append({**level, "moved": +moved})
    outside = ("late", "cancelled", "void", "bets_digest")
    return {**{key: value for key, value in statement.items() if key not in outside}, "levels": levels}


def settled_both_ways(draw: Draw) -> tuple[Document, Document]:
    """Settle a draw with the engine, compare all it wrote with brute force; return its statement and tally."""
    with TemporaryDirectory() as folder:
        directory = write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state)
        statement = settled(directory)
        tally, rows = read(directory / "tally.json"), winnings(directory)
        bets_digest = sha256((directory / "bets.csv").read_bytes()).hexdigest()
    counted = brute_force.tally_of(draw.terms, draw.bets, draw.result, draw.state)
    assert comparable(statement) == comparable(brute_division.statement_of(draw.terms, counted))
    assert rows == brute_force.winnings_of(draw.terms, draw.bets, draw.result, draw.state)
    assert statement["bets_digest"] == f"sha256:{bets_digest}"
    return statement, tally


def assert_same_tally(tally: Document, counted: Document) -> None:
    for key in ("turnover", "refunds", "returned", "lines", "jackpot_in"):
        assert tally[key] == counted[key], key
    assert {code: sum_ for code, sum_ in tally["carried"].items() if sum_} == {
        code: sum_ for code, sum_ in counted["carried"].items() if sum_
    }
    for code, level in counted["levels"].items():
        mine = tally["levels"][code]
        assert (mine["lines"], mine["stakes"]) == (level["lines"], level["stakes"])
        if "bets" in mine:
            assert mine["bets"] == level["bets"]


@given(draws())
@MANY
def test_settle_on_bets_is_brute_force_to_the_kopeck(draw: Draw) -> None:
    statement, tally = settled_both_ways(draw)
    assert_same_tally(tally, brute_force.tally_of(draw.terms, draw.bets, draw.result, draw.state))
    assert_identity(statement, draw.carried_in)


@given(draws())
@MANY
def test_settle_on_bets_is_dividends_on_the_brute_force_tally(draw: Draw) -> None:
    with TemporaryDirectory() as folder:
        directory = write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state)
        by_bets = settled(directory)
        counted = brute_force.tally_of(draw.terms, draw.bets, draw.result, draw.state)
        by_tally = dividends(Path(folder) / "what-if", draw.terms, counted)
    assert (by_tally["late"], by_tally["cancelled"], by_tally["void"], by_tally["bets_digest"]) == ([], [], [], None)
    assert comparable(by_tally) == comparable(by_bets)


@given(draws())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_left_out_is_listed_by_ticket(draw: Draw) -> None:
    """D-16: winning and losing alike; a bet both late and cancelled stands under cancelled."""
    with TemporaryDirectory() as folder:
        statement = settled(write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state))
    cancelled = set(draw.state.get("cancelled", []))
    started = draw.result["first_started_at"].removesuffix("Z")
    late = {bet.ticket for bet in draw.bets if bet.registered_at.removesuffix("Z") >= started} - cancelled
    assert statement["cancelled"] == sorted(cancelled)
    assert statement["late"] == sorted(late)
    void = [code for code, right in draw.result["conditions"].items() if right == "void"]
    assert statement["void"] == void


@given(tallies())
@MANY
def test_dividends_of_a_large_tally(pair: tuple[Document, Document]) -> None:
    terms, tally = pair
    with TemporaryDirectory() as folder:
        statement = dividends(Path(folder), terms, tally)
    assert comparable(statement) == comparable(brute_division.statement_of(terms, tally))
    assert_identity(statement, sum(tally["carried"].values()))


def test_the_second_engine_can_disagree(tmp_path: Path) -> None:
    """A negative control: with one outcome changed, the two results differ, so that agreement means something."""
    terms = make_terms(conditions=make_conditions("1X2", "1X2"), levels=[make_level("2", "1", "1")])
    bets = [make_bet(1, "1;1+X", 200), make_bet(2, "2;2", 100)]
    statement = settled(write_bundle(tmp_path, terms, bets, make_result("1", "X")))
    other = brute_force.tally_of(terms, bets, make_result("2", "2", first_started_at=STARTED), {})
    assert winnings(tmp_path) == ["T-0001,2,1,300"]
    assert comparable(statement) == comparable(brute_division.statement_of(terms, other))  # one winning line each
    assert brute_force.winnings_of(terms, bets, make_result("2", "2"), {}) == ["T-0002,2,1,300"]
    third = brute_force.tally_of(terms, bets, make_result("2", "1"), {})
    assert comparable(statement) != comparable(brute_division.statement_of(terms, third))
