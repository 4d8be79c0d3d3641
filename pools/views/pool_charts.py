"""The charts of a pool's page: how its fund grew, and how its outcomes are shared once that tells no bet (O1)."""

from collections.abc import Iterator
from datetime import datetime

from pools.documents.charts import fund_chart, shares_chart
from pools.models import Pool, PoolState
from pools.queries.fund_over_time import fund_over_time
from pools.snapshots.pool_history import distribution_of, may_show_distribution
from pools.views.figures import Figures
from totalizator.core.charts import Chart
from totalizator.core.names import localized


def charts_of(pool: Pool, figures: Figures, now: datetime) -> list[Chart]:
    """Draw what can be drawn of the pool."""
    return list(_charts(pool, figures, now))


def _charts(pool: Pool, figures: Figures, now: datetime) -> Iterator[Chart]:
    moments = fund_over_time(pool, pool.closed_at or min(now, pool.closes_at)) if _has_fund(pool, now) else []
    # Stakes that went back later make no fund (D-12, D-16): a curve that ends elsewhere than the figure misleads.
    if len(moments) > 1 and (pool.closed_at is None or moments[-1][1] == figures.fund):
        yield fund_chart(moments)
    if may_show_distribution(pool):
        rows = zip(pool.terms.conditions, distribution_of(pool), strict=True)
        yield shares_chart(
            {
                f"{number}. {localized(condition.name)}": {each["code"]: each["lines"] for each in row["outcomes"]}
                for number, (condition, row) in enumerate(rows, 1)
            }
        )


def _has_fund(pool: Pool, now: datetime) -> bool:
    return now > pool.opens_at and pool.state not in (PoolState.DRAFT, PoolState.CANCELLED)
