"""Which tickets are claimed as lost or damaged, and until when such claims live (K4)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from payouts.models import LIVE, WINNINGS, ClaimState, Payable, PayableState, TicketClaim
from totalizator.core.legal import legal_number
from totalizator.engine.deadlines import legal_day


def live_claims(pool_id: int, ticket: str) -> QuerySet[TicketClaim]:
    """Return the claims because of which a ticket is held."""
    return TicketClaim.objects.filter(pool_id=pool_id, ticket=ticket, state__in=LIVE)


def claimed_tickets(pool_id: int, tickets: Sequence[str]) -> frozenset[str]:
    """Return those of the tickets that are held."""
    held = TicketClaim.objects.filter(pool_id=pool_id, ticket__in=tickets, state__in=LIVE)
    return frozenset(held.values_list("ticket", flat=True))


def payable_without_code(payable: Payable) -> datetime:
    """Return from when a granted claim is paid to who does not know the check code.

    A winning when its term is over and nobody has brought the ticket; a returned stake, which has no term, as long
    after it became payable.
    """
    if payable.payable_until is not None:
        return payable.payable_until
    days = int(legal_number("unproved_refund_days", legal_day(payable.payable_from)))
    return payable.payable_from + timedelta(days=days)


def claims_due_to_lapse(now: datetime) -> QuerySet[TicketClaim]:
    """Return claims that were not paid in the dated number of days after the term's end; a dispute stays."""
    patience = timedelta(days=int(legal_number("claim_days_after_term", legal_day(now))))
    of_ticket = Payable.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), kind__in=WINNINGS)
    over = of_ticket.filter(payable_until__lte=now - patience)
    made_good = of_ticket.filter(state=PayableState.DUE, payable_until__gt=now - patience)
    undecided = (ClaimState.OPEN, ClaimState.GRANTED)
    return TicketClaim.objects.filter(Exists(over), ~Exists(made_good), state__in=undecided).order_by("pk")
