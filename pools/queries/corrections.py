"""What a correction of a settled pool changes, and which pools are being corrected (H5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import caches
from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from pools.models import (
    AbandonedCorrection,
    Computed,
    ComputedTwice,
    Correction,
    Pool,
    PoolState,
    Protocol,
    Settlement,
    SettlementState,
)
from totalizator.core.copying import copy_out
from totalizator.engine.canonical import parse_json

CHANGED_SQL = """
SELECT ticket, kind, before, after FROM (
    SELECT ticket, 'winning' AS kind, COALESCE(was.amount, 0) AS before, COALESCE(should.amount, 0) AS after
    FROM (SELECT ticket, sum(amount)::bigint AS amount FROM pools_winning WHERE pool_id = %(pool)s GROUP BY ticket) was
    FULL JOIN (SELECT ticket, sum(amount)::bigint AS amount FROM pools_correctedwinning WHERE pool_id = %(pool)s
               GROUP BY ticket) should USING (ticket)
    UNION ALL
    SELECT ticket, 'refund',
        CASE WHEN %(all_before)s OR ticket = ANY(%(back_before)s::text[]) THEN stake ELSE 0 END,
        CASE WHEN %(all_after)s OR ticket = ANY(%(back_after)s::text[]) THEN stake ELSE 0 END
    FROM pools_bet WHERE pool_id = %(pool)s
) AS of_a_ticket WHERE before <> after
"""
"""Rows (ticket, kind, before, after): `winning` or `refund`, kopecks by each bundle; filled by `changed_parameters`."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What one ticket has by the settlement and by the correction, in kopecks; `kind` is `winning` or `refund`."""

    ticket: str
    kind: str
    before: int
    after: int


def correction_of(pool: Pool) -> Correction | None:
    """Return the correction of a settled pool, whatever its state."""
    return Correction.objects.filter(pool=pool).first()


def can_be_corrected(pool: Pool) -> bool:
    """Tell whether a correcting protocol may still be drawn up for a settled pool: none was sealed yet (H5)."""
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if settlement is None or pool.state != PoolState.SETTLED:
        return False
    return not pool.protocols.filter(version__gt=settlement.version, sealed_at__isnull=False).exists()


def unsealed_correction(pool: Pool) -> Protocol | None:
    """Return the correcting protocol of a settled pool that is being signed, unless it was given up."""
    if pool.state != PoolState.SETTLED:
        return None
    newest = pool.protocols.order_by("-version").first()
    if newest is None or newest.sealed_at is not None or not can_be_corrected(pool):
        return None
    given_up = AbandonedCorrection.objects.filter(pool=pool, version=newest.version).exists()
    return newest if newest.version > pool.settlement.version and not given_up else None


def in_force(pool: Pool) -> Computed | None:
    """Return how the pool's money is divided by now: its correction once that is official, else its settlement."""
    return all_in_force([pool]).get(pool.pk)


def all_in_force(pools: Sequence[Pool]) -> dict[int, Computed]:
    """Return how the money of each of these pools is divided by now, of those that are officially settled."""
    found: dict[int, Computed] = {}
    for model in (Settlement, Correction):
        official = model.objects.filter(pool__in=pools, state=SettlementState.OFFICIAL).select_related("pool")
        found |= {computed.pk: computed for computed in official}
    return found


def computed_by(pool: Pool, version: int) -> Computed | None:
    """Return what is official by one version of the protocol: the settlement, or its correction."""
    for model in (Settlement, Correction):
        found: Computed | None = model.objects.filter(
            pool=pool, state=SettlementState.OFFICIAL, version=version
        ).first()
        if found is not None:
            return found
    return None


def being_corrected(pool: Pool) -> bool:
    """Tell whether a correcting protocol is drawn up, not given up, and not yet applied to what is owed."""
    return pools_being_corrected().filter(pk=pool.pk).exists()


def pools_being_corrected() -> QuerySet[Pool]:
    """Settled pools whose newest protocol is newer than the settlement, and neither given up nor applied."""
    newest = Protocol.objects.filter(pool=OuterRef("pk")).order_by("-version").values("version")[:1]
    given_up = AbandonedCorrection.objects.filter(pool=OuterRef("pk"), version=OuterRef("newest"))
    pools = Pool.objects.filter(state=PoolState.SETTLED).alias(newest=Subquery(newest))
    unapplied = pools.filter(newest__gt=F("settlement__version"), correction__applied_at__isnull=True)
    return unapplied.exclude(Exists(given_up))


def pools_due_to_correct() -> QuerySet[Pool]:
    """Settled pools whose correcting protocol is sealed, less those whose two computations differ (I9)."""
    newest = Protocol.objects.filter(pool=OuterRef("pk")).order_by("-version")
    pools = Pool.objects.filter(state=PoolState.SETTLED).alias(
        newest=Subquery(newest.values("version")[:1]), sealed_at=Subquery(newest.values("sealed_at")[:1])
    )
    sealed = pools.filter(newest__gt=F("settlement__version"), sealed_at__isnull=False)
    waiting = Q(correction__isnull=True) | Q(correction__state=SettlementState.CALCULATED)
    return sealed.filter(waiting)


def changed_parameters(pool: Pool) -> dict[str, Any]:
    """Return what `CHANGED_SQL` is filled with, for a pool whose correction is calculated."""
    before, after = _goes_back(Settlement.objects.get(pool=pool)), _goes_back(Correction.objects.get(pool=pool))
    return {
        "pool": pool.pk,
        "all_before": before[0],
        "back_before": before[1],
        "all_after": after[0],
        "back_after": after[1],
    }


def changed_amounts(pool: Pool) -> Iterator[Changed]:
    """Yield every ticket and kind that the correction changes, tickets in the order of their bytes, winnings first."""
    with connection.cursor() as cursor:
        cursor.execute(f'{CHANGED_SQL} ORDER BY ticket COLLATE "C", kind DESC', changed_parameters(pool))
        for row in cursor:
            yield Changed(*row)


def changed_page(pool: Pool, start: int, most: int) -> list[Changed]:
    """Return some of the changes, from the place `start` on, in the order of changed.csv."""
    with connection.cursor() as cursor:
        cursor.execute(
            f'{CHANGED_SQL} ORDER BY ticket COLLATE "C", kind DESC OFFSET %(start)s LIMIT %(most)s',
            {**changed_parameters(pool), "start": start, "most": most},
        )
        return [Changed(*row) for row in cursor.fetchall()]


def count_changed(pool: Pool) -> int:
    """Count the changes of an official correction, once in each process: they are final."""
    cache, key = caches["process"], f"changed:{pool.pk}"
    count: int | None = cache.get(key)
    if count is None:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM ({CHANGED_SQL}) AS changed", changed_parameters(pool))
            (count,) = cursor.fetchone()
        cache.set(key, count, None)
    return count


def changed_csv(pool: Pool) -> Iterator[bytes]:
    """Yield changed.csv: tickets in the order of their bytes, of a ticket the winning first."""
    yield b"ticket,kind,before,after\n"
    statement = f'COPY ({CHANGED_SQL} ORDER BY ticket COLLATE "C", kind DESC) TO STDOUT (FORMAT csv)'
    yield from copy_out(statement, changed_parameters(pool))


def _goes_back(computed: ComputedTwice) -> tuple[bool, list[str]]:
    """Tell whether every stake goes back, and else whose does: of late and cancelled bets (D-16, ¶29)."""
    tally: Mapping[str, Any] = parse_json(computed.tally_text.encode(), where="tally.json")
    statement: Mapping[str, Any] = parse_json(computed.statement_text.encode(), where="statement.json")
    return bool(tally.get("returned", False)), [*statement["late"], *statement["cancelled"]]
