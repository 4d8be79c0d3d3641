"""Random pools of all four games, calculated by ranges of their bets: the same bytes as by one statement."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.ledger.proofs import broken_invariants
from pools.locks import find_pool
from pools.models import Settlement, SettlementState, SettlingRange
from pools.services import settling_ranges
from pools.services.calculating import calculate_settlement
from pools.services.confirming import confirm_settlement
from tests.making import make_pool
from tests.resulting import close_by_clock, seal
from tests.settling import pot_of, sell
from tests.settling_by_ranges import huge_from, settled_bytes
from tests.stateful.test_settling_identity import pools

pytestmark = pytest.mark.django_db

RANGES = (1, 2, 3, 7)


@hypothesis_settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=pools(), draw=st.data())
def test_any_ranges_in_any_order_and_repeated_give_the_same_bytes(
    case: Mapping[str, Any], draw: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction.atomic():
        huge_from(monkeypatch, bets=1, ranges=1)
        pool = make_pool(case["game"], conditions=case["conditions"], terms=case["terms"])
        sell(pool, *case["bets"])
        close_by_clock(pool)
        seal(pool, case["result"])
        bets = max(1, len(case["bets"]))
        with transaction.atomic():
            calculate_settlement(code=pool.code, actor="test")
            by_one_statement = settled_bytes(pool)
            transaction.set_rollback(True)
        for ranges in RANGES:
            monkeypatch.setattr(settings, "SETTLE_BY_RANGES_FROM", 0)
            monkeypatch.setattr(settings, "SETTLING_RANGE_BETS", -(-bets // ranges))
            with transaction.atomic():
                settling_ranges._cut(pool.code)
                made = SettlingRange.objects.filter(pool=pool).count()
                assert made <= ranges
                shuffle(pool.pk, draw.draw(st.permutations(range(made))))
                steps = ["count", "divide", "write", "finish", "cut"]
                for step in chain(draw.draw(st.lists(st.sampled_from(steps), max_size=8)), ["all", "all"]):
                    deliver(pool.code, step)
                assert settled_bytes(pool) == by_one_statement
                assert not SettlingRange.objects.filter(pool=pool).exists()
                if ranges == RANGES[-1]:
                    confirm_settlement(code=pool.code, actor="test")
                    assert pot_of(pool) == 0
                    assert broken_invariants() == []
                transaction.set_rollback(True)
        transaction.set_rollback(True)


def test_a_pool_that_is_returned_in_full_is_written_by_ranges_too(monkeypatch: pytest.MonkeyPatch) -> None:
    huge_from(monkeypatch, bets=2, ranges=2)
    pool = make_pool(conditions=2, terms={"void_condition": "exclude"})
    sell(pool, ("1;1", 100), ("1+X;2", 200))
    close_by_clock(pool)
    seal(pool, "void;void")
    with transaction.atomic():
        calculate_settlement(code=pool.code, actor="test")
        by_one_statement = settled_bytes(pool)
        transaction.set_rollback(True)
    for step in ("cut", "all"):
        deliver(pool.code, step)
    assert settled_bytes(pool) == by_one_statement
    confirm_settlement(code=pool.code, actor="test")
    assert (pot_of(pool), broken_invariants()) == (0, [])


def shuffle(pool_id: int, numbers: list[int]) -> None:
    """Let the ranges be worked at in another order."""
    with connection.cursor() as cursor:
        for number, moved_to in enumerate(numbers):
            cursor.execute(
                "UPDATE pools_settlingrange SET number = %s WHERE pool_id = %s AND number = %s",
                [1_000 + moved_to, pool_id, number],
            )


def deliver(code: str, step: str) -> None:
    """Do one step, in or out of turn; or all that is left of them."""
    pool = find_pool(code)
    settlement = Settlement.objects.filter(pool=pool).first()
    writing = settlement is not None and settlement.state == SettlementState.WRITING
    match step:
        case "count":
            settling_ranges._count_range(pool, wait=False)
        case "divide":
            settling_ranges._divide(code)
        case "write" if writing and settlement is not None:
            settling_ranges._write_range(pool, settlement, wait=False)
        case "finish" if settlement is not None:
            settling_ranges._finish(code, "test")
        case "cut":
            settling_ranges._cut(code)
        case "all":
            settling_ranges.help_settling(code=code, actor="test")
