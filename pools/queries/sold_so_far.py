"""What is sold of pools that still take bets, counted on from where it was counted to: a bet never changes (O1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.db import connections

from pools.models import Bet, Pool
from totalizator.core import clock
from totalizator.core.replica import MOST_LAG

SETTLES = MOST_LAG + timedelta(seconds=30)
"""So long after an instant every bet registered by then can be read: no bet takes longer, and no replica is older."""
COUNTED_AGAIN_AFTER = timedelta(hours=1)
"""After so long a process counts a pool from its first bet again: what went wrong would not stay."""

Stakes = Mapping[datetime, int]
_Row = tuple[int, bool | None, datetime | None, "Sold"]
"""Pool, whether it is final (None: what was cancelled), when the step began, what was sold."""

# Only the newest bets are read, by the index on their time, and first: another index would find all of a pool's.
# `begun` is when the step of a bet began.
_NEW = """
WITH newest AS MATERIALIZED (
    SELECT pool_id, registered_at, stake, lines FROM pools_bet WHERE registered_at >= %(least)s
)
SELECT b.pool_id, b.registered_at < %(final)s, {begun}, sum(b.stake)::bigint, sum(b.lines)::bigint, count(*)
FROM newest b JOIN unnest(%(pools)s::bigint[], %(since)s::timestamptz[]) AS v (pool_id, since)
  ON v.pool_id = b.pool_id AND b.registered_at >= v.since
GROUP BY 1, 2, 3
"""
_ALL = """
SELECT b.pool_id, b.registered_at < %(final)s, {begun}, sum(b.stake)::bigint, sum(b.lines)::bigint, count(*)
FROM pools_bet b WHERE b.pool_id = ANY(%(pools)s) GROUP BY 1, 2, 3
"""
_CANCELLED = """
UNION ALL
SELECT b.pool_id, NULL::boolean, {begun}, -sum(b.stake)::bigint, -sum(b.lines)::bigint, -count(*)
FROM pools_betcancellation n JOIN pools_bet b USING (pool_id, ticket)
WHERE n.pool_id = ANY(%(pools)s) AND n.cancelled_when = 'before' GROUP BY 1, 2, 3
"""
_BY_STEP, _IN_ONE = "date_bin(%(step)s, b.registered_at, %(opens_at)s)", "NULL::timestamptz"


@dataclass(frozen=True, slots=True)
class Sold:
    """Stakes in kopecks, lines and bets."""

    turnover: int = 0
    lines: int = 0
    bets: int = 0

    def __add__(self, other: "Sold") -> "Sold":
        """Sum both up."""
        return Sold(self.turnover + other.turnover, self.lines + other.lines, self.bets + other.bets)


@dataclass(frozen=True, slots=True)
class _Counted:
    """What was sold in each step, of the bets registered before `to`; `begun_at`: when all were counted."""

    begun_at: datetime
    to: datetime
    steps: Mapping[datetime | None, Sold]


def sold_so_far(pools: Sequence[Pool]) -> dict[int, Sold]:
    """Return what is sold of each of these pools, by its number, without bets that were cancelled (¶29)."""
    counted = _count_on({f"sold:{pool.pk}": pool.pk for pool in pools}, {}, _IN_ONE)
    return {pool.pk: counted[pool.pk].get(None, Sold()) for pool in pools}


def staked_by_step(pool: Pool, step: timedelta) -> Stakes:
    """Return the kopecks staked in each step from the pool's opening on, by the instant at which the step began."""
    told = {"step": step, "opens_at": pool.opens_at}
    counted = _count_on({f"sold:{pool.pk}:{step.total_seconds()}": pool.pk}, told, _BY_STEP)[pool.pk]
    return {begun: sold.turnover for begun, sold in sorted(counted.items()) if begun is not None and sold.bets}


def _count_on(keys: Mapping[str, int], told: Mapping[str, Any], begun: str) -> dict[int, dict[datetime | None, Sold]]:
    """Count what is new of each pool, keep what is final, and return all, less what was cancelled."""
    cache = caches["process"]
    now = clock.now()
    final = now - SETTLES
    kept_lately: dict[str, _Counted] = cache.get_many(list(keys))
    known = {keys[key]: kept for key, kept in kept_lately.items() if now - kept.begun_at < COUNTED_AGAIN_AFTER}
    rows = _rows(_ALL, [pool for pool in keys.values() if pool not in known], final, told, begun)
    since = {pool: counted.to for pool, counted in known.items()}
    if since:
        newest = {"since": list(since.values()), "least": min(since.values())}
        rows += _rows(_NEW, list(since), final, {**told, **newest}, begun)
    kept = {pool: dict(known[pool].steps) if pool in known else {} for pool in keys.values()}
    _add(kept, [row for row in rows if row[1]])
    for key, pool in keys.items():
        begun_at = known[pool].begun_at if pool in known else now
        counted_to = max(final, since.get(pool, final))
        cache.set(key, _Counted(begun_at, counted_to, kept[pool]), COUNTED_AGAIN_AFTER.total_seconds())
    counted = {pool: dict(steps) for pool, steps in kept.items()}
    _add(counted, [row for row in rows if not row[1]])
    return counted


def _add(counted: Mapping[int, dict[datetime | None, Sold]], rows: Sequence[_Row]) -> None:
    for pool, _is_final, step, sold in rows:
        counted[pool][step] = counted[pool].get(step, Sold()) + sold


def _rows(statement: str, pools: Sequence[int], final: datetime, told: Mapping[str, Any], begun: str) -> list[_Row]:
    if not pools:
        return []
    with connections[Bet.objects.db].cursor() as cursor:
        cursor.execute((statement + _CANCELLED).format(begun=begun), {**told, "pools": list(pools), "final": final})
        return [(pool, is_final, step, Sold(*sums)) for pool, is_final, step, *sums in cursor.fetchall()]
