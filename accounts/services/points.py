"""Betting points and the cash in their tills (¶9.2-9.7). One act each, journalled."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.models import BettingPoint, Role, Till, User
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def open_till(*, point: BettingPoint, number: int, cashier: User, actor: str) -> Till:
    """Set up till `number` at `point` for `cashier`.

    :raises DomainError: NOT_ALLOWED when that person is no cashier.
    """
    if cashier.role != Role.CASHIER:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier can work at a till."), field="cashier")
    with one_transaction():
        till = Till.objects.create(
            point=point,
            number=number,
            cashier=cashier,
            ledger_account=ledger_account(AccountKind.TILL, f"{point.code}/{number}"),
        )
        write_journal(
            at=clock.now(),
            actor=actor,
            act="open_till",
            subject=f"till:{till.pk}",
            after={"point": point.code, "number": number, "cashier": cashier.pk},
        )
    return till


def give_float(*, till: Till, amount: int, document: str, actor: str) -> bool:
    """Bring `amount` kopecks from the bank into the till; return False when `document` was booked before.

    :raises DomainError: BAD_VALUE when the amount is not above zero.
    """
    if amount <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    with one_transaction():
        at = clock.now()
        try:
            post(
                key=f"till-float:{document}",
                kind=TransferKind.TILL_FLOAT,
                occurred_at=at,
                cause=f"till:{till.pk}",
                movements=[Movement(till.ledger_account, ledger_account(AccountKind.BANK), amount)],
            )
        except DuplicateTransfer:
            return False
        write_journal(
            at=at,
            actor=actor,
            act="give_float",
            subject=f"till:{till.pk}",
            after={"amount": amount, "document": document},
        )
    return True
