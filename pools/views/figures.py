"""Live figures of a pool: how much is staked, on how many lines and tickets."""

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from pools.models import Bet, Pool
from totalizator.engine.fund import winning_fund

FRESH_SECONDS = 5
FRESH_SECONDS_CLOSED = 3_600


@dataclass(frozen=True, slots=True)
class Figures:
    """Turnover and fund in kopecks."""

    turnover: int
    lines: int
    bets: int
    fund: int


def figures_of(pool: Pool) -> Figures:
    """Return a pool's figures, counted at most every few seconds while it sells, however many look at them."""
    key = f"figures:{pool.pk}:{pool.state}"
    known: Figures | None = cache.get(key)
    if known is None:
        known = _counted(pool)
        cache.set(key, known, FRESH_SECONDS if pool.closed_at is None else FRESH_SECONDS_CLOSED)
    return known


def _counted(pool: Pool) -> Figures:
    sums = Bet.objects.filter(pool=pool).aggregate(
        turnover=Coalesce(Sum("stake"), 0), lines=Coalesce(Sum("lines"), 0), bets=Count("ticket")
    )
    turnover = int(sums["turnover"])
    fund, _takeout = winning_fund(turnover, pool.terms.fund)
    return Figures(turnover, int(sums["lines"]), sums["bets"], fund)
