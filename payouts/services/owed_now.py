"""What is owed on a ticket, if it may be handed over now; else why not (¶12-13, ¶40, C58)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from payouts.models import Booking, CorrectedPayable, CorrectionOutcome, Payable, PayableState, Payment
from payouts.queries.disputes import is_disputed
from payouts.queries.tickets import over
from payouts.services.being_corrected import refuse_being_corrected
from pools.models import Bet
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.localtime import local_text


def owed_now(bet: Bet, payable: Payable | None, at: datetime, *, claimed_in_time: bool = False) -> Payable:
    """Return the payable if it may be paid in cash at the instant `at`.

    What was claimed in the term (K4) is paid after its end too.

    :raises DomainError: BEING_CORRECTED; NOT_PAYABLE_YET; NOTHING_TO_PAY; ALREADY_PAID, with where and when;
        TERM_EXPIRED; TICKET_HELD while it is disputed (¶45); NOT_ALLOWED
        for what goes back to an account or card.
    """
    if payable is None or payable.state == PayableState.DUE:
        refuse_being_corrected(bet.pool_id)
    payable = still_due(bet, payable)
    if over(payable, at) and not claimed_in_time:
        raise _too_late(payable)
    if is_disputed(bet.pool_id, bet.ticket):
        message = _("This ticket is disputed: nothing is paid on it until that is answered.")
        raise DomainError(Refusal.TICKET_HELD, message)
    if payable.pay_to_id is not None:
        raise DomainError(
            Refusal.NOT_ALLOWED, _("This goes back the way the stake came: to the account or card (¶41).")
        )
    if at < payable.payable_from:
        raise DomainError(
            Refusal.NOT_PAYABLE_YET,
            _("This is paid from %(day)s.") % {"day": local_text(payable.payable_from)},
            payable_from=payable.payable_from,
        )
    return payable


def still_due(bet: Bet, payable: Payable | None) -> Payable:
    """Return the payable unless it is settled, or there is none.

    :raises DomainError: NOT_PAYABLE_YET; NOTHING_TO_PAY; ALREADY_PAID; TERM_EXPIRED.
    """
    if payable is None:
        raise _nothing_owed(bet)
    if payable.state == PayableState.PAID:
        raise already_paid(payable)
    if payable.state == PayableState.EXPIRED:
        raise _too_late(payable)
    if payable.state == PayableState.REVOKED:
        if CorrectedPayable.objects.filter(pk=payable.pk, outcome=CorrectionOutcome.REVOKED).exists():
            raise DomainError(Refusal.NOTHING_TO_PAY, _("By the corrected result this is not owed."))
        raise DomainError(Refusal.NOTHING_TO_PAY, _("This bet was cancelled; its stake goes back (¶29)."))
    if payable.state == PayableState.LAPSED:
        message = _("Nobody came for this stake in the limitation term; it went to the jackpot (D-12).")
        raise DomainError(Refusal.TERM_EXPIRED, message)
    return payable


def already_paid(payable: Payable) -> DomainError:
    """Say where and when it was paid, in the time of that place (C58)."""
    payment = Payment.objects.select_related("till__point").get(pk=payable.pk)
    if payment.till is None:
        when = local_text(payment.paid_at)
        message = _("It was paid to the account or card on %(when)s.") % {"when": when}
        return DomainError(Refusal.ALREADY_PAID, message, paid_at=payment.paid_at)
    when = local_text(payment.paid_at, payment.till.point.time_zone)
    message = _("It was paid at till %(till)s, %(when)s.") % {"till": payment.till, "when": when}
    return DomainError(Refusal.ALREADY_PAID, message, till=str(payment.till), paid_at=payment.paid_at)


def _nothing_owed(bet: Bet) -> DomainError:
    if Booking.objects.filter(pool_id=bet.pool_id).exists():
        return DomainError(Refusal.NOTHING_TO_PAY, _("This ticket has won nothing."))
    return DomainError(Refusal.NOT_PAYABLE_YET, _("The pool is not settled yet."))


def _too_late(payable: Payable) -> DomainError:
    until = payable.payable_until
    return DomainError(
        Refusal.TERM_EXPIRED,
        _("The term for payment ended on %(until)s.") % {"until": local_text(until) if until is not None else ""},
        payable_until=until,
    )
