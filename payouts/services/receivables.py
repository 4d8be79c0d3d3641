"""Winnings that were paid and are to be given back: booking what is given back, never more than is owed (¶29, D-3)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, written
from payouts.locks import hold_ticket
from payouts.models import ReceivablePayment
from pools.models import Bet
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def book_receivable_payment(*, ticket: str, amount: int, document: str, booked_by: User) -> ReceivablePayment:
    """Book that `amount` kopecks of what is to be given back on a ticket have come to the bank, as `document` shows.

    The same document again is the first payment. The line of the bank's statement is then what a document had booked
    before (`Outcome.BOOKED_BEFORE`).

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE for an amount not above zero or more than is owed, without a
        document, or for a document that was booked with another amount; NOTHING_TO_PAY when nothing is owed.
    """
    refuse_all_but_staff(booked_by)
    document = written(document, field="document", most=100)
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    bet = Bet.objects.select_related("pool").filter(ticket=ticket).first()
    if bet is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such ticket."), field="ticket")
    with one_transaction():
        hold_ticket(bet.pool_id, ticket)
        standing = ReceivablePayment.objects.filter(pool=bet.pool, ticket=ticket, document=document).first()
        if standing is not None:
            return _the_same(standing, amount)
        receivable = ledger_account(AccountKind.RECEIVABLE, ticket)
        _refuse_too_much(amount, balance(receivable))
        at = clock.now()
        payment = ReceivablePayment.objects.create(
            pool=bet.pool, ticket=ticket, amount=amount, document=document, booked_by=booked_by, booked_at=at
        )
        post(
            book=bet.pool_id,
            key=f"receivable-paid:{payment.pk}",
            kind=TransferKind.RECEIVABLE_PAID,
            occurred_at=at,
            cause=f"bet:{ticket}",
            movements=[Movement(ledger_account(AccountKind.BANK), receivable, amount)],
        )
        write_journal(
            at=at,
            actor=booked_by.actor,
            act="book_receivable_payment",
            subject=f"bet:{ticket}",
            after={"amount": amount, "document": document, "owed": balance(receivable)},
        )
    return payment


def _the_same(standing: ReceivablePayment, amount: int) -> ReceivablePayment:
    if standing.amount != amount:
        message = _("This document was booked before, with another amount.")
        raise DomainError(Refusal.BAD_VALUE, message, field="document", booked=standing.amount)
    return standing


def _refuse_too_much(amount: int, owed: int) -> None:
    if not owed:
        raise DomainError(Refusal.NOTHING_TO_PAY, _("Nothing is to be given back on this ticket."))
    if amount > owed:
        message = _("More than is owed cannot be given back.")
        raise DomainError(Refusal.BAD_VALUE, message, field="amount", owed=owed)
