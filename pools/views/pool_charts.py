"""The charts of a pool's page: how its fund grew, and how its outcomes are shared once that tells no bet (O1)."""

from datetime import datetime

from pools.documents.charts import fund_chart, shares_chart
from pools.models import Pool, PoolState
from pools.queries.fund_over_time import fund_over_time
from pools.snapshots.pool_archives import is_archived
from pools.snapshots.pool_history import distribution_of, may_show_distribution
from pools.views.figures import Figures, figures_of
from totalizator.core.charts import Chart
from totalizator.core.names import localized


def charts_of(pool: Pool, now: datetime) -> dict[str, Chart | None]:
    """Draw what can be drawn of the pool, for `pools/charts.html`; None for what cannot."""
    return {"fund": _fund(pool, figures_of(pool), now), "shares": _shares(pool)}


def _fund(pool: Pool, figures: Figures, now: datetime) -> Chart | None:
    """Draw the fund; where stakes went back later, a curve would end elsewhere than the figure (D-12, D-16)."""
    if now <= pool.opens_at or pool.state in (PoolState.DRAFT, PoolState.CANCELLED):
        return None
    moments = fund_over_time(pool, pool.closed_at or min(now, pool.closes_at))
    if len(moments) < 2 or (pool.closed_at is not None and moments[-1][1] != figures.fund):
        return None
    return fund_chart(moments)


def _shares(pool: Pool) -> Chart | None:
    if not may_show_distribution(pool) or not (is_archived(pool) or pool.bets.exists()):
        return None
    rows = zip(pool.terms.conditions, distribution_of(pool), strict=True)
    return shares_chart(
        {
            f"{number}. {localized(condition.name)}": {each["code"]: each["lines"] for each in row["outcomes"]}
            for number, (condition, row) in enumerate(rows, 1)
        }
    )
