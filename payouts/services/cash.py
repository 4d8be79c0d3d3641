"""Paying a ticket in cash at a till: to whoever brings it with its check code, once (D-13, ¶12-13, ¶43)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.posting import post_many
from accounts.models import FiscalKind, Person, Terminal, Till, User
from accounts.services.desks import refuse_to_pay
from accounts.services.fiscal import queue_fiscal
from accounts.services.identified_operations import note_identified, refuse_unidentified
from payouts.locks import lock_payables_of
from payouts.models import Booking, Payable, PayableState, Payment
from payouts.queries.tickets import find_ticket, over, standing_payable
from payouts.services.paying import open_desk, settle_payables
from pools.models import Bet
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.localtime import local_text
from totalizator.core.transactions import one_transaction


def pay_in_cash(
    *,
    ticket: str,
    check_code: str,
    cashier: User,
    idempotency_key: str,
    person: Person | None = None,
    terminal: Terminal | None = None,
) -> Payment:
    """Pay what is owed on a ticket, a winning less its tax or a returned stake, from the cashier's till.

    Cash is rounded down to the smallest coin of the day; `handed_over` of the payment is what the player gets (C46).
    `person` is who showed a document (`person_at_desk`), which large sums need; `terminal` asks for the cashier.

    :raises DomainError: NOT_ALLOWED (no cashier at a till; it goes to an account); WRONG_CODE; NOTHING_TO_PAY;
        NOT_PAYABLE_YET; TERM_EXPIRED; ALREADY_PAID, with where and when; what `refuse_to_pay` refuses;
        IDENTITY_NEEDED; INSUFFICIENT_FUNDS of the till; KEY_REUSED; BUSY. In each case nothing was paid.
    """
    source = from_till(cashier)
    assert source.till is not None
    bet = find_ticket(ticket, check_code)
    with one_transaction():
        first = recall_or_reserve(
            scope=source.scope,
            key=idempotency_key,
            fingerprint=fingerprint_of("pay_in_cash", bet.ticket),
            answer=bet.ticket,
            created_at=clock.now(),
        )
        payable = standing_payable(lock_payables_of(bet.pool_id, bet.ticket))
        if first is not None:
            return _replayed(bet, source.till)
        at = clock.now()  # after the lock: who waited past the term's end is too late
        owed = _payable_now(bet, payable, at)
        refuse_to_pay(till=source.till, now=at, terminal=terminal)
        payment = _pay(bet, owed, source.till, cashier, person, at)
        queue_fiscal(
            till=source.till,
            kind=FiscalKind.PAYOUT,
            subject=f"bet:{bet.ticket}",
            amount=payment.handed_over,
            at=at,
        )
        write_journal(
            at=at,
            actor=cashier.actor,
            act="pay_in_cash",
            subject=f"bet:{bet.ticket}",
            after={
                "kind": payment.kind,
                "gross": payment.gross,
                "tax": payment.tax,
                "net": payment.net,
                "till": source.till.pk,
                **({"terminal": terminal.actor} if terminal is not None else {}),
                **({"rounded": payment.rounded} if payment.rounded else {}),
            },
        )
    return payment


def _pay(bet: Bet, payable: Payable, till: Till, cashier: User, person: Person | None, at: datetime) -> Payment:
    desk = open_desk(bet.pool, at=at)
    payment, transfer = desk.pay(payable, stake=bet.stake, to=till.ledger_account, till=till, paid_by=cashier)
    refuse_unidentified(amount=payment.handed_over, person=person, at=at)
    if person is not None:
        note_identified(operation=transfer.key, person=person, noted_by=cashier, at=at)
    post_many([transfer])
    payment.save(force_insert=True)
    settle_payables([payable], PayableState.PAID, at=at)
    return payment


def _payable_now(bet: Bet, payable: Payable | None, at: datetime) -> Payable:
    """Return the payable if it may be paid in cash at the instant `at`, or say why not."""
    if payable is None:
        raise _nothing_owed(bet)
    if payable.state == PayableState.PAID:
        raise _already_paid(payable)
    if payable.state == PayableState.EXPIRED or over(payable, at):
        raise DomainError(
            Refusal.TERM_EXPIRED,
            _("The term for payment ended on %(until)s.") % {"until": _shown(payable.payable_until)},
            payable_until=payable.payable_until,
        )
    if payable.pay_to_id is not None:
        raise DomainError(
            Refusal.NOT_ALLOWED, _("This goes back the way the stake came: to the account or card (¶41).")
        )
    if at < payable.payable_from:
        raise DomainError(
            Refusal.NOT_PAYABLE_YET,
            _("This is paid from %(day)s.") % {"day": _shown(payable.payable_from)},
            payable_from=payable.payable_from,
        )
    return payable


def _nothing_owed(bet: Bet) -> DomainError:
    if Booking.objects.filter(pool_id=bet.pool_id).exists():
        return DomainError(Refusal.NOTHING_TO_PAY, _("This ticket has won nothing."))
    return DomainError(Refusal.NOT_PAYABLE_YET, _("The pool is not settled yet."))


def _already_paid(payable: Payable) -> DomainError:
    """Say where and when it was paid, in the time of that place (C58)."""
    payment = Payment.objects.select_related("till__point").get(pk=payable.pk)
    if payment.till is None:
        when = _shown(payment.paid_at)
        message = _("It was paid to the account or card on %(when)s.") % {"when": when}
        return DomainError(Refusal.ALREADY_PAID, message, paid_at=payment.paid_at)
    when = local_text(payment.paid_at, payment.till.point.time_zone)
    message = _("It was paid at till %(till)s, %(when)s.") % {"till": payment.till, "when": when}
    return DomainError(Refusal.ALREADY_PAID, message, till=str(payment.till), paid_at=payment.paid_at)


def _replayed(bet: Bet, till: Till) -> Payment:
    """Return the payment that this request, made before, led to."""
    payment = Payment.objects.filter(pool_id=bet.pool_id, ticket=bet.ticket, till=till).order_by("-paid_at")[0]
    payment.replayed = True
    return payment


def _shown(instant: datetime | None) -> str:
    return local_text(instant) if instant is not None else ""
