"""What a correction of a settled pool changes, and which pools are being corrected (H5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from pools.models import AbandonedCorrection, ComputedTwice, Correction, Pool, PoolState, Protocol, Settlement
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


def _goes_back(computed: ComputedTwice) -> tuple[bool, list[str]]:
    """Tell whether every stake goes back, and else whose does: of late and cancelled bets (D-16, ¶29)."""
    tally: Mapping[str, Any] = parse_json(computed.tally_text.encode(), where="tally.json")
    statement: Mapping[str, Any] = parse_json(computed.statement_text.encode(), where="statement.json")
    return bool(tally.get("returned", False)), [*statement["late"], *statement["cancelled"]]
