"""The charts of a pool's page: what they show is what is published, and no sooner (O1, X1)."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pools.models import Pool
from pools.queries.fund_over_time import fund_over_time, step_of
from pools.snapshots.pool_history import FEWEST_TO_SHOW, distribution_of
from pools.tasks import close_due_pools
from tests.functional.browsing import text_of, visitor
from tests.making import make_commission, make_pool
from tests.resulting import close_by_clock
from tests.settling import sell, settle
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
SHARES = "1. Match 1 1 2 (66"


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    caches["process"].clear()


def page(pool: Pool) -> Any:
    caches["process"].clear()
    return visitor().get(f"/pools/{pool.code}/")


def test_the_fund_grows_by_what_was_staked_in_each_step() -> None:
    pool = make_pool(lasts=timedelta(hours=10))
    assert fund_over_time(pool, clock.now()) == []
    sell(pool, ("1;1;1", 100), ("1;X;1", 100))
    clock.move_clock(timedelta(hours=2))
    sell(pool, ("1;1;1+2", 200))
    caches["process"].clear()
    moments = fund_over_time(pool, pool.closes_at)
    assert [amount for _at, amount in moments] == [0, 140, 140, 280, 280]  # 7/10 of what was staked by then
    assert moments[0][0] == pool.opens_at
    assert moments[-1][0] == pool.closes_at
    assert [at for at, _amount in moments] == sorted(at for at, _amount in moments)
    assert (moments[2][0] - pool.opens_at) % timedelta(minutes=15) == timedelta(0)


def test_the_last_moment_is_the_figure_beside_it() -> None:
    pool = make_pool()
    sell(pool, ("1;1;1", 100), ("1;X;1", 100))
    clock.move_clock(timedelta(hours=1))
    text = text_of(page(pool))
    assert "In pictures Winning fund" in text
    assert "BYN 1.40 winning fund" in text
    assert text.count("BYN 1.40") >= 2


@pytest.mark.parametrize(
    ("span", "step"),
    [
        (timedelta(minutes=60), timedelta(minutes=1)),
        (timedelta(minutes=61), timedelta(minutes=5)),
        (timedelta(days=7), timedelta(hours=3)),
        (timedelta(days=60), timedelta(days=1)),
        (timedelta(days=61), timedelta(days=2)),
    ],
)
def test_a_chart_has_at_most_sixty_steps(span: timedelta, step: timedelta) -> None:
    assert step_of(span) == step


def test_x1_shares_are_shown_only_once_they_tell_nobodys_bet() -> None:
    keys = make_commission()
    pool = make_pool(keys=keys)
    sell(pool, ("1;1;1", 100), ("1;X;1", 100), ("X;X;1", 100))
    assert "Lines by outcome" not in text_of(page(pool))
    close_by_clock(pool)
    pool.refresh_from_db()
    assert "Lines by outcome" not in text_of(page(pool))  # three bets are too few
    settled = make_pool(keys=keys)
    sell(settled, ("1;1;1", 100), ("1;X;1", 100), ("X;X;1", 100))
    settle(settled, "1;1;1")
    text = text_of(page(settled))
    assert "Lines by outcome" in text
    assert SHARES in text


def test_where_stakes_went_back_no_curve_ends_elsewhere_than_the_figure() -> None:
    pool = make_pool()
    sell(pool, ("1;1;1", 100))
    settle(pool, "1;1;1", event_void=True)
    text = text_of(page(pool))
    assert "BYN 0.00 winning fund" in text
    assert "In pictures Winning fund" not in text


def test_j1_the_jackpot_of_the_game_is_drawn_from_its_second_move_on() -> None:
    keys = make_commission()
    for expected in (False, False, True):
        pool = make_pool(keys=keys)
        assert ("Jackpot: Sportloto" in text_of(page(pool))) is expected
        sell(pool, ("1;1;1", 100))
        settle(pool, "2;2;2")


def test_how_the_bets_are_spread_is_counted_once_for_all_servers_and_before_anybody_asks() -> None:
    cache.clear()
    pool, few = (make_pool(opens_in=timedelta(minutes=1), lasts=timedelta(hours=2)) for _ in range(2))
    sell(pool, *[("1;1;1", 100)] * (FEWEST_TO_SHOW - 1), ("X;1+2;1", 200))
    sell(few, ("1;1;1", 100))
    clock.move_clock(timedelta(hours=3))
    close_due_pools()
    pool.refresh_from_db()
    kept = distribution_of(pool)
    assert [[each["lines"] for each in row["outcomes"]] for row in kept] == [[19, 2, 0], [20, 0, 1], [21, 0, 0]]
    for name in ("process", "default"):  # another server, then one that lost what all share
        caches[name].clear()
        with CaptureQueriesContext(connection) as asked:
            assert distribution_of(pool) == kept
        assert any("get_bit" in (query["sql"] or "") for query in asked) is False, name
    for name in ("process", "default"):
        caches[name].clear()
    with CaptureQueriesContext(connection) as asked:
        assert distribution_of(pool) == kept
    assert any("get_bit" in (query["sql"] or "") for query in asked)
    assert not JournalRecord.objects.filter(act__endswith="_failed").exists()  # too few bets are passed over
    few.refresh_from_db()
    with pytest.raises(ValueError, match="nobody sees"):
        distribution_of(few)
