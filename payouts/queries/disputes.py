"""Which tickets are disputed, and until when a dispute must be answered (¶45)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet

from accounts.models import User
from payouts.models import OPEN_DISPUTES, Dispute
from payouts.queries.claim_terms import claim_end_of
from pools.models import Bet
from totalizator.core.columns import array
from totalizator.core.legal import legal_number, whole_number_sql
from totalizator.engine.deadlines import legal_day

_DUE = f"""
SELECT d.id, d.ticket, d.opened_at,
       t.ends + {whole_number_sql("dispute_days", "(t.ends AT TIME ZONE 'Europe/Minsk')::date")} * interval '24 hours'
FROM payouts_dispute d
LEFT JOIN pools_settlement s ON s.pool_id = d.pool_id AND s.state = 'official'
LEFT JOIN payouts_correctionbooking c ON c.pool_id = d.pool_id
CROSS JOIN LATERAL (
    SELECT GREATEST(s.payable_until, c.payable_until, (
        SELECT max(x.payable_until) FROM payouts_termextension x JOIN payouts_termextended a ON a.extension_id = x.id
        WHERE x.pool_id = d.pool_id)) AS ends
) t
WHERE d.state IN ('received', 'considered') AND (%(opened_by)s::bigint IS NULL OR d.opened_by_id = %(opened_by)s)
ORDER BY d.opened_at, d.id
"""
_DISPUTED = """
SELECT ticket FROM payouts_dispute WHERE pool_id = %s AND state = ANY(%s::text[]) AND ticket = ANY(%s::text[])
"""


def open_disputes() -> QuerySet[Dispute]:
    """Return the disputes that are not answered."""
    return Dispute.objects.filter(state__in=OPEN_DISPUTES)


def is_disputed(pool_id: int, ticket: str) -> bool:
    """Tell whether nothing may be paid on a ticket, because a dispute about it is open."""
    return open_disputes().filter(pool_id=pool_id, ticket=ticket).exists()


def disputed_tickets(pool_id: int, tickets: Sequence[str]) -> frozenset[str]:
    """Return those of the tickets that are disputed."""
    with connection.cursor() as cursor:
        cursor.execute(_DISPUTED, [pool_id, array("text", OPEN_DISPUTES), array("text", tickets)])
        return frozenset(ticket for (ticket,) in cursor.fetchall())


def has_open_disputes(player: User) -> bool:
    """Tell whether a bet of the player is disputed."""
    tickets = Bet.objects.filter(player=player).values("ticket")
    return open_disputes().filter(ticket__in=tickets).exists()


def answer_due(dispute: Dispute) -> datetime | None:
    """Return the instant by which it must be answered; None while the pool has no term for payment yet.

    Thirty days (a dated number) after the term for payment ends, with its extension (¶45).
    """
    end = claim_end_of(dispute.pool)
    return end + timedelta(days=int(legal_number("dispute_days", legal_day(end)))) if end is not None else None


def disputes_to_answer(opened_by: User | None = None) -> Sequence[tuple[int, str, datetime, datetime | None]]:
    """Return number, ticket, opening, `answer_due` of open disputes, all or one person's, from the oldest."""
    with connection.cursor() as cursor:
        cursor.execute(_DUE, {"opened_by": opened_by.pk if opened_by is not None else None})
        return list(cursor.fetchall())


def answers_due(opened_by: User | None = None) -> Mapping[int, datetime | None]:
    """Return by number when each open dispute must be answered, None where the pool has no term yet."""
    return {number: due for number, _ticket, _opened_at, due in disputes_to_answer(opened_by)}
