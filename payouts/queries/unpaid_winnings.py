"""Unpaid winning tickets of a pool, by none of which anybody can be paid: no whole number, no check code (K3)."""

from typing import Any

from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import MD5, Concat

from payouts.models import LIVE, Payable, PayableKind, PayableState, PhoneBinding, TicketClaim
from pools.models import Bet, Pool
from totalizator.core.encrypted import keyed_digest

SHOWN_LETTERS = 3


def unpaid_winnings(pool: Pool) -> QuerySet[Any]:
    """Return the winnings of a pool that wait at desks, each with `sold_at`, `is_bound` and `is_held`.

    `place` is their order: of no use to who would find the ticket by it.
    """
    ticket = {"pool_id": OuterRef("pool_id"), "ticket": OuterRef("ticket")}
    secret = Value(keyed_digest("unpaid winnings", pool.code).hex())
    due = Payable.objects.filter(pool=pool, state=PayableState.DUE, pay_to__isnull=True)
    return due.exclude(kind=PayableKind.REFUND).annotate(
        place=MD5(Concat(secret, F("ticket"), F("kind"), output_field=CharField())),
        sold_at=Subquery(Bet.objects.filter(**ticket).values("till__point__code")[:1]),
        is_bound=Exists(PhoneBinding.objects.filter(**ticket)),
        is_held=Exists(TicketClaim.objects.filter(**ticket, state__in=LIVE)),
    )


def masked(ticket: str) -> str:
    """Return a ticket's number with all but its last letters hidden."""
    return f"…{ticket[-SHOWN_LETTERS:]}"
