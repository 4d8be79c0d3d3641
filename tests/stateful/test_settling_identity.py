"""The money identity on random pools of all four games, settled on real rows (I3, I9).

Confirming compares the database's tally, statement and winnings with the engine's, bet by bet; so every pool that
settles here was settled twice, by two ways of counting. The sums below are taken a third time, from the ledger.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.proofs import broken_invariants
from pools.models import Game, PoolState
from tests.making import make_pool
from tests.settling import jackpot_of, moved, owed, pot_of, sell, settle, winnings_of

pytestmark = pytest.mark.django_db

OUTCOMES = ("1", "X", "2")
marks = st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=3, unique=True).map(
    lambda chosen: "+".join(outcome for outcome in OUTCOMES if outcome in chosen)
)
right = st.one_of(marks, marks, marks, st.just("void"))


@st.composite
def level_tables(draw: st.DrawFn, conditions: int) -> list[dict[str, str]]:
    """Levels over some numbers of matches, each with a part of the fund, highest first or last."""
    tops = draw(st.lists(st.integers(1, conditions), min_size=1, max_size=3, unique=True))
    weights = [draw(st.integers(0, 5)) for _ in tops]
    weights[0] += 1
    return [
        {"code": f"L{top}", "from": f"{top}/{conditions}", "to": f"{top}/{conditions}", "share": f"{w}/{sum(weights)}"}
        for top, w in zip(tops, weights, strict=True)
    ]


@st.composite
def pools(draw: st.DrawFn) -> dict[str, Any]:
    """The game, terms, bets and result of a pool that the law allows."""
    game = draw(st.sampled_from(sorted(Game.values)))
    sportloto, variant = game.startswith("sportloto"), game.endswith("variant")
    conditions = 1 if variant else draw(st.integers(2, 5))
    terms: dict[str, Any] = {"void_condition": draw(st.sampled_from(["refund", "all_match", "exclude"]))}
    if not variant:
        terms["levels"] = draw(level_tables(conditions))
    price = draw(st.integers(1, 1_000))
    if sportloto:
        terms |= {"price": {"line": price}, "fund": draw(st.sampled_from(["7/10", "0.777", "1"]))}
        if draw(st.booleans()):
            terms["min_dividend"] = {"amount": draw(st.integers(1, 2 * price)), "below": "top_up"}
        elif draw(st.booleans()):
            terms["max_dividend"] = {"amount": draw(st.integers(1, 3 * price)), "above": "jackpot"}
    elif not variant:
        terms["empty_level"] = draw(st.sampled_from(["jackpot", "other_levels", "next_lower", "next_higher"]))
    bets = []
    for _ in range(draw(st.integers(0, 7))):
        coupon = [draw(marks) for _ in range(conditions)]
        lines = 1
        for marked in coupon:
            lines *= marked.count("+") + 1
        stake = price * lines if sportloto else lines * draw(st.integers(100, 5_000))
        bets.append((";".join(coupon), stake))
    return {
        "game": game,
        "conditions": conditions,
        "terms": terms,
        "bets": bets,
        "result": ";".join(draw(right) for _ in range(conditions)),
    }


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pools())
def test_i3_every_kopeck_of_a_random_pool_is_somewhere(case: Mapping[str, Any]) -> None:
    with transaction.atomic():
        pool = make_pool(case["game"], conditions=case["conditions"], terms=case["terms"])
        sell(pool, *case["bets"])
        statement = settle(pool, case["result"])
        turnover = sum(stake for _selections, stake in case["bets"])
        assert pool.state == PoolState.SETTLED
        assert statement["turnover"] == moved(pool, TransferKind.STAKE) == turnover
        added = moved(pool, TransferKind.TOP_UP)
        takeout, refunds = owed(AccountKind.TAKEOUT, pool), owed(AccountKind.REFUNDS_DUE, pool)
        winnings, jackpot = owed(AccountKind.WINNINGS_DUE, pool), jackpot_of(pool.game)
        assert turnover + added == takeout + refunds + winnings + jackpot
        assert winnings == sum(winnings_of(pool).values())
        assert (takeout, refunds) == (statement["takeout"], statement["refunds"])
        assert pot_of(pool) == 0
        assert broken_invariants() == []
        transaction.set_rollback(True)
