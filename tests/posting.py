"""Posting to the ledger without any service above it."""

from django.db import transaction

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.models import Entry, LedgerAccount, Transfer
from totalizator.core import clock


def bank() -> LedgerAccount:
    """The organizer's bank account: no counters."""
    return ledger_account(AccountKind.BANK)


def game_account(owner: str = "1") -> LedgerAccount:
    """A game account: guarded by counters."""
    return ledger_account(AccountKind.GAME_ACCOUNT, owner)


def move(key: str, debit: LedgerAccount, credit: LedgerAccount, amount: int) -> NewTransfer:
    """A transfer of one movement."""
    return NewTransfer(key, TransferKind.DEPOSIT, clock.now(), "test", [Movement(debit, credit, amount)])


def post_all(*transfers: NewTransfer) -> None:
    """Post in a transaction of their own."""
    with transaction.atomic():
        post_many(transfers)


def written() -> tuple[int, int, list[tuple[int | None, int | None]]]:
    """How many transfers and entries there are, and every counter."""
    accounts = LedgerAccount.objects.order_by("pk").values_list("debits", "credits")
    return Transfer.objects.count(), Entry.objects.count(), list(accounts)
