"""What payment systems hold for us: they pay it over to the bank less their fee, and pay withdrawals from it (F1)."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.models import User
from accounts.services.providers.known import find_provider
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def note_paid_over(*, provider: str, received: int, held: int, reference: str, by: User) -> bool:
    """Book that a payment system has paid `received` kopecks to the bank for `held` kopecks that it held for us.

    The difference, its fee and what currencies gained or lost meanwhile, is the organizer's: players had their money
    in full. Returns False when `reference`, of the bank's statement, was booked before.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE when an amount is not above zero.
    """
    _refuse_unfit(by, provider, received, held)
    at_provider, organizer = ledger_account(AccountKind.AT_PROVIDER, provider), ledger_account(AccountKind.ORGANIZER)
    bank = ledger_account(AccountKind.BANK)
    movements = [Movement(bank, at_provider, min(received, held))]
    if held > received:
        movements.append(Movement(organizer, at_provider, held - received))
    elif received > held:
        movements.append(Movement(bank, organizer, received - held))
    told = {"received": received, "held": held, "reference": reference}
    return _book("note_paid_over", f"paid-over:{provider}:{reference}", provider, movements, told, by)


def note_prefunded(*, provider: str, amount: int, reference: str, by: User) -> bool:
    """Book that the bank has paid `amount` kopecks to a payment system, from which it pays withdrawals.

    Returns False when `reference`, of the bank's statement, was booked before.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE when the amount is not above zero.
    """
    _refuse_unfit(by, provider, amount)
    at_provider, bank = ledger_account(AccountKind.AT_PROVIDER, provider), ledger_account(AccountKind.BANK)
    told = {"amount": amount, "reference": reference}
    movements = [Movement(at_provider, bank, amount)]
    return _book("note_prefunded", f"prefunded:{provider}:{reference}", provider, movements, told, by)


def _refuse_unfit(by: User, provider: str, *amounts: int) -> None:
    refuse_all_but_staff(by)
    find_provider(provider)
    if min(amounts) <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")


def _book(
    act: str, key: str, provider: str, movements: Sequence[Movement], told: Mapping[str, object], by: User
) -> bool:
    with one_transaction():
        at = clock.now()
        try:
            post(
                key=key,
                kind=TransferKind.PROVIDER_PAID_OVER,
                occurred_at=at,
                cause=f"provider:{provider}",
                movements=movements,
            )
        except DuplicateTransfer:
            return False
        write_journal(at=at, actor=by.actor, act=act, subject=f"provider:{provider}", after=told)
    return True
