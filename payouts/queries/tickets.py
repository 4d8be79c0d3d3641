"""What the holder of a ticket may know of it (D-13, ¶13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from payouts.models import Booking, Payable, PayableState, Payment
from payouts.queries.corrections import is_being_corrected
from payouts.queries.disputes import is_disputed
from payouts.queries.ticket_claims import live_claims
from pools.models import Bet, Pool
from pools.services.tickets import code_matches, pool_code_of, read_barcode
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.localtime import LEGAL_ZONE


class TicketStanding(TextChoices):
    """Where a ticket stands for who holds it."""

    IN_PLAY = "in_play", _("in play")
    NOTHING = "nothing", _("nothing won")
    NOT_PAYABLE_YET = "not_payable_yet", _("won; not payable yet")
    PAYABLE = "payable", _("to be paid")
    PAID = "paid", _("paid")
    EXPIRED = "expired", _("the term for payment is over")
    HELD = "held", _("reported as lost or damaged: ask at the desk")
    DISPUTED = "disputed", _("disputed: nothing is paid on it until that is answered")
    BEING_CORRECTED = "being_corrected", _("the result is being corrected: nothing is paid until that is done")


@dataclass(frozen=True, slots=True)
class TicketStatus:
    """A ticket, what is owed on it in kopecks (before tax), how it was paid, and all that was ever owed on it."""

    bet: Bet
    standing: TicketStanding
    payable: Payable | None
    payment: Payment | None
    payables: Sequence[Payable] = ()

    @property
    def amount(self) -> int:
        """What it won, what a correction makes good of it, or the stake to be returned; 0 for nothing."""
        owed = self.payable is not None and self.payable.state != PayableState.REVOKED
        return self.payable.amount if self.payable is not None and owed else 0

    @property
    def paid_where(self) -> str | None:
        """The point and the till that paid it in cash (C58)."""
        till = self.payment.till if self.payment is not None else None
        return f"{till.point.name}, {till}" if till is not None else None

    @property
    def zone(self) -> str:
        """The time zone of the place that paid it."""
        till = self.payment.till if self.payment is not None else None
        return till.point.time_zone if till is not None else LEGAL_ZONE


def find_ticket(ticket: str, check_code: str) -> Bet:
    """Return the bet of a ticket to who knows its check code; `ticket` is its number as printed, or its barcode.

    :raises DomainError: WRONG_CODE, the same for a wrong code as for a ticket that there is not.
    """
    number = _number(ticket.strip().upper())
    bet = bet_with_ticket(number, pool_code_of(number))
    if not code_matches(number, check_code, bet.check_hash if bet is not None else b"") or bet is None:
        raise DomainError(
            Refusal.WRONG_CODE, _("There is no ticket with this number and check code."), field="check_code"
        )
    return bet


def _number(typed: str) -> str:
    """Return the number that was typed, or the one whose barcode was read."""
    read = read_barcode(typed)
    if read is None:
        return typed
    pool_id, letters = read
    code = Pool.objects.filter(pk=pool_id).values_list("code", flat=True).first()
    return f"{code}-{letters}" if code is not None else typed


def ticket_status(ticket: str, check_code: str) -> TicketStatus:
    """Tell who holds a ticket where it stands.

    :raises DomainError: WRONG_CODE, as `find_ticket`.
    """
    return status_of(find_ticket(ticket, check_code))


def status_of(bet: Bet) -> TicketStatus:
    """Tell where the ticket of a bet stands, to who has a right to know."""
    payables = list(Payable.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket))
    payable = standing_payable(payables)
    payment = None
    if payable is not None and payable.state == PayableState.PAID:
        payment = Payment.objects.select_related("till__point").get(pk=payable.pk)
    return TicketStatus(bet, _standing(bet, payable, clock.now()), payable, payment, payables)


def standing_payable(payables: Sequence[Payable]) -> Payable | None:
    """Return the one that matters of all that was ever owed on a ticket: what is still due, else the last settled."""
    due = [payable for payable in payables if payable.state == PayableState.DUE]
    settled = sorted(
        (payable for payable in payables if payable.settled_at is not None),
        key=lambda payable: payable.settled_at or payable.payable_from,
    )
    return next(iter(due), settled[-1] if settled else None)


def _standing(bet: Bet, payable: Payable | None, now: datetime) -> TicketStanding:
    if payable is None:
        if not Booking.objects.filter(pool_id=bet.pool_id).exists():
            return TicketStanding.IN_PLAY
        return TicketStanding.BEING_CORRECTED if is_being_corrected(bet.pool_id) else TicketStanding.NOTHING
    if payable.state == PayableState.PAID:
        return TicketStanding.PAID
    if payable.state in (PayableState.EXPIRED, PayableState.LAPSED):
        return TicketStanding.EXPIRED
    if payable.state == PayableState.REVOKED:
        return TicketStanding.NOTHING
    if is_being_corrected(bet.pool_id):
        return TicketStanding.BEING_CORRECTED
    if live_claims(bet.pool_id, bet.ticket).exists():
        return TicketStanding.HELD
    if is_disputed(bet.pool_id, bet.ticket):
        return TicketStanding.DISPUTED
    if over(payable, now):
        return TicketStanding.EXPIRED
    return TicketStanding.PAYABLE if now >= payable.payable_from else TicketStanding.NOT_PAYABLE_YET


def over(payable: Payable, now: datetime) -> bool:
    """Tell whether the term to come for it is over; an account's or card's is never (expiring)."""
    return payable.pay_to_id is None and payable.payable_until is not None and now >= payable.payable_until
