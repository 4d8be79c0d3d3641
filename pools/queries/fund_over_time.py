"""How a pool's winning fund grew from its opening on, in steps that a chart has room for (O1)."""

from datetime import datetime, timedelta

from django.core.cache import caches

from pools.models import Pool
from pools.queries.sold_so_far import staked_by_step
from totalizator.engine.fund import winning_fund

MOST_STEPS = 60
STEPS = [
    *(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30)),
    *(timedelta(hours=hours) for hours in (1, 2, 3, 6, 12, 24)),
]
FRESH_SECONDS = 60
FRESH_SECONDS_CLOSED = 3_600


def fund_over_time(pool: Pool, until: datetime) -> list[tuple[datetime, int]]:
    """Return instants from the opening to `until`, and what the stakes made the fund by then, in kopecks.

    Counted at most once a minute in each process, as it was then; empty before the first bet.
    """
    cache, key = caches["process"], f"fund-over-time:{pool.pk}:{pool.closed_at is None}"
    known: list[tuple[datetime, int]] | None = cache.get(key)
    if known is None:
        known = _counted(pool, until)
        cache.set(key, known, FRESH_SECONDS if pool.closed_at is None else FRESH_SECONDS_CLOSED)
    return known


def step_of(span: timedelta) -> timedelta:
    """Return the least of the usual steps of which at most 60 cover `span`, else whole days."""
    days = timedelta(days=-(-span // (MOST_STEPS * timedelta(days=1))))
    return next((step for step in STEPS if step * MOST_STEPS >= span), days)


def _counted(pool: Pool, until: datetime) -> list[tuple[datetime, int]]:
    step = step_of(until - pool.opens_at)
    moments, turnover = [(pool.opens_at, 0)], 0
    for begun, staked in staked_by_step(pool, step).items():
        turnover += staked
        moments += [(begun, moments[-1][1])] if begun > moments[-1][0] else []
        moments.append((min(begun + step, max(until, begun)), _fund(pool, turnover)))
    if not turnover:
        return []
    return moments if moments[-1][0] >= until else [*moments, (until, moments[-1][1])]


def _fund(pool: Pool, turnover: int) -> int:
    fund, _takeout = winning_fund(turnover, pool.terms.fund)
    return fund
