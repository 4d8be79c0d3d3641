"""Which tickets are disputed, and until when a dispute must be answered (¶45)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.models import User
from payouts.models import OPEN_DISPUTES, Dispute
from payouts.queries.claim_terms import claim_end_of
from pools.models import Bet
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import legal_day


def open_disputes() -> QuerySet[Dispute]:
    """Return the disputes that are not answered."""
    return Dispute.objects.filter(state__in=OPEN_DISPUTES)


def is_disputed(pool_id: int, ticket: str) -> bool:
    """Tell whether nothing may be paid on a ticket, because a dispute about it is open."""
    return open_disputes().filter(pool_id=pool_id, ticket=ticket).exists()


def disputed_tickets(pool_id: int, tickets: Sequence[str]) -> frozenset[str]:
    """Return those of the tickets that are disputed."""
    return frozenset(open_disputes().filter(pool_id=pool_id, ticket__in=tickets).values_list("ticket", flat=True))


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
