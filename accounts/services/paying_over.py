"""What payment systems hold for us, and pay over to the bank, less their fee (F1)."""

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.services.providers.known import find_provider
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


def note_paid_over(*, provider: str, received: int, held: int, reference: str, actor: str) -> bool:
    """Book that a payment system has paid `received` kopecks to the bank for `held` kopecks that it took from players.

    The difference, its fee and what currencies gained or lost meanwhile, is the organizer's: players had their money
    in full. Returns False when `reference`, of the bank's statement, was booked before.

    :raises DomainError: NOT_FOUND; BAD_VALUE when an amount is not above zero.
    """
    find_provider(provider)
    if received <= 0 or held <= 0:
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    at_provider, organizer = ledger_account(AccountKind.AT_PROVIDER, provider), ledger_account(AccountKind.ORGANIZER)
    bank = ledger_account(AccountKind.BANK)
    movements = [Movement(bank, at_provider, min(received, held))]
    if held > received:
        movements.append(Movement(organizer, at_provider, held - received))
    elif received > held:
        movements.append(Movement(bank, organizer, received - held))
    with one_transaction():
        at = clock.now()
        try:
            post(
                key=f"paid-over:{provider}:{reference}",
                kind=TransferKind.PROVIDER_PAID_OVER,
                occurred_at=at,
                cause=f"provider:{provider}",
                movements=movements,
            )
        except DuplicateTransfer:
            return False
        write_journal(
            at=at,
            actor=actor,
            act="note_paid_over",
            subject=f"provider:{provider}",
            after={"received": received, "held": held, "reference": reference},
        )
    return True
