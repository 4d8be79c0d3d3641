"""What is sold of a pool on sale: counted on, bet by bet the same as counted anew."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pools.models import Pool
from pools.queries.fund_over_time import fund_over_time
from pools.queries.sold_so_far import COUNTED_AGAIN_AFTER, SETTLES, Sold, sold_so_far, staked_by_step
from tests.disputing import cancelled
from tests.making import make_pool
from tests.settling import sell
from totalizator.core import clock

pytestmark = pytest.mark.django_db
STEP = timedelta(minutes=5)


def both_ways(pool: Pool) -> tuple[Sold, list[int]]:
    """What is sold, and by step: counted on from what the process knows, and the same counted anew."""
    counted = sold_so_far([pool])[pool.pk], list(staked_by_step(pool, STEP).values())
    kept = {key: caches["process"].get(key) for key in (f"sold:{pool.pk}", f"sold:{pool.pk}:{STEP.total_seconds()}")}
    caches["process"].clear()
    assert (sold_so_far([pool])[pool.pk], list(staked_by_step(pool, STEP).values())) == counted
    caches["process"].set_many(kept)
    return counted


def test_what_was_counted_is_not_read_again_and_what_is_new_is_counted_once() -> None:
    pool, other = make_pool(), make_pool()
    assert both_ways(pool) == (Sold(), [])
    sell(pool, ("1;X;2", 100), ("1;X;1+2", 200))
    sell(other, ("1;X;2", 100))
    assert both_ways(pool) == (Sold(300, 3, 2), [300])  # they are too young to be final
    clock.move_clock(SETTLES + timedelta(seconds=1))
    assert both_ways(pool) == (Sold(300, 3, 2), [300])
    sell(pool, ("1;1;1", 100))
    first = pool.bets.earliest("registered_at").registered_at
    with CaptureQueriesContext(connection) as asked:
        assert sold_so_far([pool, other]) == {pool.pk: Sold(400, 4, 3), other.pk: Sold(100, 1, 1)}
    assert f"{first:%H:%M:%S.%f}" not in "".join(query["sql"] for query in asked.captured_queries)
    (newest,) = [query["sql"] for query in asked.captured_queries if "unnest" in query["sql"]]
    assert str(pool.pk) in newest
    clock.move_clock(2 * STEP)
    sell(pool, ("2;1;1", 100))
    assert both_ways(pool)[0] == Sold(500, 5, 4)
    assert sum(both_ways(pool)[1]) == 500
    clock.move_clock(COUNTED_AGAIN_AFTER)
    with CaptureQueriesContext(connection) as asked:
        assert sold_so_far([pool])[pool.pk] == Sold(500, 5, 4)
    assert not any("unnest" in query["sql"] for query in asked.captured_queries)


def test_a_cancelled_bet_is_taken_out_though_it_was_counted_before() -> None:
    pool = make_pool()
    ticket, _other = sell(pool, ("1;X;2", 100), ("1;X;1+2", 200))
    clock.move_clock(SETTLES + timedelta(seconds=1))
    assert both_ways(pool) == (Sold(300, 3, 2), [300])
    cancelled(ticket)
    assert both_ways(pool) == (Sold(200, 2, 1), [200])
    caches["process"].clear()
    assert fund_over_time(pool, clock.now())[-1][1] == 140
