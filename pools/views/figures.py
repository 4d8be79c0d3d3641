"""Live figures of a pool: how much is staked, on how many lines and tickets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import caches
from django.db.models import Count, Sum

from pools.models import Bet, Pool
from totalizator.engine.fund import winning_fund

FRESH_SECONDS = 5
FRESH_SECONDS_CLOSED = 3_600


@dataclass(frozen=True, slots=True)
class Figures:
    """Turnover and fund in kopecks; the fund is what the bets so far make, then what was settled, 0 when returned."""

    turnover: int
    lines: int
    bets: int
    fund: int


def figures_of(pool: Pool) -> Figures:
    """Return a pool's figures, counted at most every few seconds while it sells, however many look at them."""
    return figures_of_all([pool])[pool.pk]


def figures_of_all(pools: Sequence[Pool]) -> dict[int, Figures]:
    """Return the figures of pools by their ids: what is not known is counted in one query."""
    keys = {_key(pool): pool for pool in pools}
    cache = caches["process"]
    known: dict[str, Figures] = cache.get_many(list(keys))
    unknown = [pool for key, pool in keys.items() if key not in known]
    counted = _counted(unknown) if unknown else {}
    for fresh, selling in ((FRESH_SECONDS, True), (FRESH_SECONDS_CLOSED, False)):
        found = {_key(pool): counted[pool.pk] for pool in unknown if (pool.closed_at is None) == selling}
        if found:
            cache.set_many(found, fresh)
    return counted | {keys[key].pk: figures for key, figures in known.items()}


def _key(pool: Pool) -> str:
    return f"figures:{pool.pk}:{pool.state}"


def _counted(pools: Sequence[Pool]) -> dict[int, Figures]:
    sums = (
        Bet.objects.filter(pool__in=pools)
        .values("pool_id")
        .annotate(turnover=Sum("stake"), lines=Sum("lines"), bets=Count("ticket"))
    )
    by_pool = {row["pool_id"]: row for row in sums}
    nothing = {"turnover": 0, "lines": 0, "bets": 0}
    return {pool.pk: _figures(pool, by_pool.get(pool.pk, nothing)) for pool in pools}


def _figures(pool: Pool, sums: Mapping[str, Any]) -> Figures:
    turnover = int(sums["turnover"])
    fund, _takeout = winning_fund(turnover, pool.terms.fund)
    return Figures(turnover, int(sums["lines"]), int(sums["bets"]), fund)
