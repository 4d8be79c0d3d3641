"""The order of bets, of levels in the file and of conditions changes nothing; a losing bet only adds."""

from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engine import brute_force
from tests.engine.bundles import SOLD, STARTED, Bet, Document, settled, winnings, write_bundle
from tests.engine.draws import Draw, draws

SOME = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MONEY = (
    "turnover",
    "refunds",
    "takeout",
    "fund",
    "added",
    "jackpot_in",
    "jackpot_out",
    "winnings",
    "levels",
    "carried",
)


def money_of(draw: Draw) -> tuple[Document, list[str]]:
    with TemporaryDirectory() as folder:
        statement = settled(write_bundle(Path(folder), draw.terms, draw.bets, draw.result, draw.state))
        return {key: statement[key] for key in MONEY}, winnings(Path(folder))


@given(draws(), st.randoms(use_true_random=False))
@SOME
def test_the_order_of_levels_in_the_file(draw: Draw, shuffler: Random) -> None:
    levels = list(draw.terms["levels"])
    shuffler.shuffle(levels)
    assert money_of(replace(draw, terms={**draw.terms, "levels": levels})) == money_of(draw)


@given(draws(), st.randoms(use_true_random=False))
@SOME
def test_the_order_of_conditions(draw: Draw, shuffler: Random) -> None:
    order = list(range(len(draw.terms["conditions"])))
    shuffler.shuffle(order)
    terms = {**draw.terms, "conditions": [draw.terms["conditions"][place] for place in order]}
    bets = [replace(bet, marks=tuple(bet.marks[place] for place in order)) for bet in draw.bets]
    assert money_of(replace(draw, terms=terms, bets=bets)) == money_of(draw)


@given(draws(), st.randoms(use_true_random=False))
@SOME
def test_the_order_of_bets(draw: Draw, shuffler: Random) -> None:
    """Tickets dealt out anew put the same bets into another order; each wins what it won."""
    tickets = [bet.ticket for bet in draw.bets]
    dealt = list(tickets)
    shuffler.shuffle(dealt)
    renamed = dict(zip(tickets, dealt, strict=True))
    bets = [replace(bet, ticket=renamed[bet.ticket]) for bet in draw.bets]
    state = dict(draw.state)
    if "cancelled" in state:
        state["cancelled"] = [renamed[ticket] for ticket in state["cancelled"]]
    money, rows = money_of(draw)
    money_dealt, rows_dealt = money_of(replace(draw, bets=bets, state=state))
    assert money_dealt == money
    assert sorted(rows_dealt) == sorted(renamed[row.partition(",")[0]] + "," + row.partition(",")[2] for row in rows)


@given(draws())
@SOME
def test_a_losing_bet_never_lowers_the_fund(draw: Draw) -> None:
    result = {**draw.result, "first_started_at": STARTED}
    lines = list(brute_force.lines_of(Bet("", tuple(tuple(codes_of(c)) for c in draw.terms["conditions"]), 0)))
    stake = draw.terms["price"].get("line", 500)
    losers = [Bet("T-999", tuple((code,) for code in line), stake, SOLD) for line in lines]
    if not brute_force.returned(draw.terms, result, 10**9):
        losers = [bet for bet in losers if not brute_force.winning_lines(draw.terms, result, bet)]
    assume(losers)
    before, rows = money_of(replace(draw, result=result))
    after, rows_after = money_of(replace(draw, result=result, bets=[*draw.bets, losers[0]]))
    assert after["turnover"] == before["turnover"] + stake
    assert after["fund"] >= before["fund"]
    assert not [row for row in rows_after if row.startswith("T-999,")]
    assert before["fund"] == 0 or {row.rpartition(",")[0] for row in rows} <= {
        row.rpartition(",")[0] for row in rows_after
    }


def codes_of(condition: Document) -> list[str]:
    return [outcome["code"] for outcome in condition["outcomes"]]
