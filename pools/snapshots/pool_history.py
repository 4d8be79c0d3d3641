"""The public history of pools: everything that was published of each, and how bets were spread once it was closed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.db import connection

from pools.models import Cancellation, Commitment, Computed, Correction, Pool, PoolArchive, PoolState
from pools.queries.corrections import all_in_force
from pools.snapshots.result import protocol_of, result_document, sealed_protocol

FEWEST_TO_SHOW = 20
"""Bets whose spread is shown before each of them is public: a single bet's spread is the bet."""
KEPT_IN = ("process", "default")
"""The caches that a spread is kept in for good: this process's own, then the one that all servers share."""


@dataclass(frozen=True, slots=True)
class PublishedPool:
    """A pool and the public documents that there are of it; None for what there is not (yet)."""

    pool: Pool
    commitment: dict[str, Any] | None
    result: dict[str, Any] | None
    statement: dict[str, Any] | None
    settlement: Computed | None
    cancellation: Cancellation | None

    @property
    def correction(self) -> dict[str, Any] | None:
        """What was corrected of the first settlement: correction.json (H5)."""
        return json.loads(self.settlement.correction_text) if isinstance(self.settlement, Correction) else None


def published(pools: Sequence[Pool]) -> list[PublishedPool]:
    """Return what is public of each of these pools."""
    commitments = dict(Commitment.objects.filter(pool__in=pools).values_list("pool_id", "document_text"))
    settlements = all_in_force(pools)
    cancellations = Cancellation.objects.in_bulk([pool.pk for pool in pools])
    return [
        PublishedPool(
            pool,
            json.loads(commitments[pool.pk]) if pool.pk in commitments else None,
            _result(pool, settlements.get(pool.pk)),
            json.loads(settlements[pool.pk].statement_text) if pool.pk in settlements else None,
            settlements.get(pool.pk),
            cancellations.get(pool.pk),
        )
        for pool in pools
    ]


def _result(pool: Pool, settlement: Computed | None) -> dict[str, Any] | None:
    if pool.state not in (PoolState.RESULTED, PoolState.SETTLED, PoolState.ARCHIVED):
        return None
    protocol = protocol_of(settlement) if settlement is not None else sealed_protocol(pool)
    return result_document(protocol) if protocol is not None else None


def all_published(*, at_a_time: int = 200) -> Iterator[PublishedPool]:
    """Yield every announced pool from the oldest, with what is public of it."""
    last = 0
    while True:
        pools = list(Pool.objects.filter(pk__gt=last).exclude(state=PoolState.DRAFT).order_by("pk")[:at_a_time])
        if not pools:
            return
        yield from published(pools)
        last = pools[-1].pk


def may_show_distribution(pool: Pool) -> bool:
    """Tell whether the spread tells nobody's bet: the bets are public, or enough of them are fixed (X1)."""
    if pool.state in (PoolState.SETTLED, PoolState.ARCHIVED):
        return True
    return pool.closed_at is not None and pool.bets.order_by()[:FEWEST_TO_SHOW].count() >= FEWEST_TO_SHOW


def distribution_of(pool: Pool) -> list[dict[str, Any]]:
    """Return, for each condition, how many bets and single lines have each outcome; of a pool that sells no more.

    The lines of a condition add up to those of the pool: a system bet has as many with each outcome it marks (D-10).
    Once the bets are committed to, it is counted once and kept under their commitment: it can no longer change.
    """
    if not may_show_distribution(pool):
        raise ValueError(f"pool {pool.code}: nobody sees how others bet")
    if pool.state == PoolState.ARCHIVED:
        kept: list[dict[str, Any]] = PoolArchive.objects.values_list("distribution", flat=True).get(pool=pool)
        return kept
    committed = Commitment.objects.filter(pool=pool).values_list("document_text", flat=True).first()
    if committed is None:
        return _counted(pool)
    key = f"distribution:{sha256(committed.encode()).hexdigest()}"
    lacking = []
    for cache in (caches[name] for name in KEPT_IN):
        counted: list[dict[str, Any]] | None = cache.get(key)
        if counted is not None:
            break
        lacking.append(cache)
    else:
        counted = _counted(pool)
    for cache in lacking:
        cache.set(key, counted, None)
    return counted


def keep_distribution(code: str) -> None:
    """Count the spread of a pool whose bets have just been committed to, so that no reader waits for it."""
    pool = Pool.objects.get(code=code)
    if may_show_distribution(pool):
        distribution_of(pool)


def _counted(pool: Pool) -> list[dict[str, Any]]:
    columns: list[str] = []
    values: list[int] = []
    start = 0
    for condition in pool.terms.conditions:
        width = len(condition.outcomes)
        for place in range(start, start + width):
            columns.append("count(*) FILTER (WHERE get_bit(bits, %s) = 1)")
            columns.append(
                "COALESCE(sum(lines / bit_count(substring(bits FROM %s FOR %s)))"
                " FILTER (WHERE get_bit(bits, %s) = 1), 0)::bigint"
            )
            values += [place, start + 1, width, place]
        start += width
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(columns)} FROM pools_bet WHERE pool_id = %s", [*values, pool.pk])
        row = iter(cursor.fetchone())
    return [
        {
            "condition": condition.code,
            "outcomes": [
                {"code": outcome.code, "bets": next(row), "lines": next(row)} for outcome in condition.outcomes
            ],
        }
        for condition in pool.terms.conditions
    ]
