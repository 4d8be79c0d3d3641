"""What was told to everybody of a pool's result so far, and what of it was not counted yet (O2)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max, QuerySet

from pools.models import Pool, PoolState, ProvisionalResult
from totalizator.engine.alive import part_of_result
from totalizator.engine.result import Result
from totalizator.engine.terms import Terms


@dataclass(slots=True)
class KnownSoFar:
    """What is told of a pool: by condition its right outcomes or `void`; the newest telling, None before the first."""

    told: dict[str, str | list[str]] = field(default_factory=dict)
    first_started_at: str | None = None
    latest: ProvisionalResult | None = None

    def add(self, row: ProvisionalResult) -> None:
        """Let what was told later prevail, condition by condition."""
        document: dict[str, Any] = json.loads(row.proposal.result_text)
        self.told |= document["conditions"]
        self.first_started_at = document["first_started_at"] or self.first_started_at
        self.latest = row

    def part_of(self, terms: Terms) -> Result:
        """Return it as the part of a result that the engine reads."""
        return part_of_result(terms, self.told, self.first_started_at)


def known_so_far(pool: Pool) -> KnownSoFar:
    """Return what everybody is told of a pool: of each condition what was told last."""
    return known_of_all([pool]).get(pool.pk, KnownSoFar())


def known_of_all(pools: Sequence[Pool]) -> dict[int, KnownSoFar]:
    """Return the same of several pools by their ids, in one query; pools of which nothing is told are left out."""
    rows = ProvisionalResult.objects.filter(pool__in=pools).select_related("proposal__feed").order_by("pk")
    known: dict[int, KnownSoFar] = {}
    for row in rows.defer("proposal__file"):
        known.setdefault(row.pool_id, KnownSoFar()).add(row)
    return known


def told_until(told: ProvisionalResult) -> KnownSoFar:
    """Return what was known once `told` was told, whatever came later."""
    known = KnownSoFar()
    rows = ProvisionalResult.objects.filter(pool_id=told.pool_id, pk__lte=told.pk).select_related("proposal")
    for row in rows.defer("proposal__file").order_by("pk"):
        known.add(row)
    return known


def to_be_counted() -> QuerySet[ProvisionalResult]:
    """Return the newest telling of each pool that is still played, where its bets were not counted by it yet."""
    newest = (
        ProvisionalResult.objects.filter(pool__state=PoolState.CLOSED)
        .values("pool")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    rows = ProvisionalResult.objects.filter(pk__in=newest, counted__isnull=True)
    return rows.select_related("pool").order_by("pk")
