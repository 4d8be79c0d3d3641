"""Live figures of a pool: how much is staked, on how many lines and tickets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import caches
from django.db.models import Count, Sum

from pools.models import Pool, PoolArchive, PoolState
from pools.queries.cancelled_bets import bets_in_division
from pools.queries.corrections import all_in_force
from pools.queries.sold_so_far import sold_so_far
from totalizator.engine.fund import winning_fund

FRESH_SECONDS = 5
FRESH_SECONDS_CLOSED = 3_600
GLANCE_SECONDS = 30
"""Lists of many pools need no newer figures: all bets of every open pool are summed no more often."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Turnover and fund in kopecks; the fund is what the bets so far make, then what was settled, 0 when returned.

    Bets that were cancelled before the settlement are in none of them (¶29).
    """

    turnover: int
    lines: int
    bets: int
    fund: int


def figures_of(pool: Pool) -> Figures:
    """Return a pool's figures, counted at most every few seconds while it sells, however many look at them."""
    return figures_of_all([pool])[pool.pk]


def figures_at_a_glance(pools: Sequence[Pool]) -> dict[int, Figures]:
    """Return the figures of pools in a list, half a minute old at most, however many readers each process has."""
    return figures_of_all(pools, fresh=GLANCE_SECONDS)


def figures_of_all(pools: Sequence[Pool], *, fresh: int = FRESH_SECONDS) -> dict[int, Figures]:
    """Return the figures of pools by their ids, `fresh` seconds old at most while they sell.

    Of a pool that sells only what is new is counted; of one that is over all, once.
    """
    keys = {_key(pool, fresh): pool for pool in pools}
    cache = caches["process"]
    known: dict[str, Figures] = cache.get_many(list(keys))
    unknown = [pool for key, pool in keys.items() if key not in known]
    counted = _counted(unknown) if unknown else {}
    for seconds, selling in ((fresh, True), (FRESH_SECONDS_CLOSED, False)):
        found = {_key(pool, fresh): counted[pool.pk] for pool in unknown if (pool.closed_at is None) == selling}
        if found:
            cache.set_many(found, seconds)
    return counted | {keys[key].pk: figures for key, figures in known.items()}


def _key(pool: Pool, fresh: int) -> str:
    return f"figures:{fresh}:{pool.pk}:{pool.state}"


def _counted(pools: Sequence[Pool]) -> dict[int, Figures]:
    over = [pool for pool in pools if pool.closed_at is not None]
    sums = (
        bets_in_division()
        .filter(pool__in=over)
        .values("pool_id")
        .annotate(turnover=Sum("stake"), lines=Sum("lines"), bets=Count("ticket"))
    )
    by_pool: dict[int, Mapping[str, Any]] = {row["pool_id"]: row for row in sums}
    by_pool |= dict(PoolArchive.objects.filter(pool__in=over).values_list("pool_id", "figures"))
    sold = sold_so_far([pool for pool in pools if pool.closed_at is None])
    by_pool |= {number: asdict(so_far) for number, so_far in sold.items()}
    nothing = {"turnover": 0, "lines": 0, "bets": 0}
    statements = {pool: computed.statement_text for pool, computed in all_in_force(pools).items()}
    return {pool.pk: _figures(pool, by_pool.get(pool.pk, nothing), statements.get(pool.pk)) for pool in pools}


def _figures(pool: Pool, sums: Mapping[str, Any], statement: str | None) -> Figures:
    turnover = int(sums["turnover"])
    return Figures(turnover, int(sums["lines"]), int(sums["bets"]), _fund(pool, turnover, statement))


def _fund(pool: Pool, turnover: int, statement: str | None) -> int:
    """Return the fund: stakes that go back, late ones or all, make none (D-12, D-16)."""
    if pool.state == PoolState.CANCELLED:
        return 0
    if statement is not None:
        return int(json.loads(statement)["fund"])
    fund, _takeout = winning_fund(turnover, pool.terms.fund)
    return fund
