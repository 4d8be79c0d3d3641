"""Balances and statements, read from the entries."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from accounts.ledger.models import Entry, LedgerAccount
from accounts.ledger.posting import balance_of_guarded


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry as the owner of an account sees it; `change` and `balance` in kopecks."""

    occurred_at: datetime
    kind: str
    cause: str
    change: int
    balance: int


def entries_balance(account: LedgerAccount, *, book: int | None = None) -> int:
    """Return the account's balance in kopecks as the sum of its entries, in one `book` or in all."""
    entries = Entry.objects.all() if book is None else Entry.objects.filter(book=book)
    debits = entries.filter(debit=account).aggregate(total=Coalesce(Sum("amount"), 0))["total"]
    credits = entries.filter(credit=account).aggregate(total=Coalesce(Sum("amount"), 0))["total"]
    return int(debits - credits if account.debit_normal else credits - debits)


def balance(account: LedgerAccount) -> int:
    """Return the balance in kopecks: from the counters where there are some, else from the entries."""
    return balance_of_guarded(account) if account.guarded else entries_balance(account)


def balance_as_read(account: LedgerAccount) -> int:
    """Return the balance in kopecks of a guarded account by the counters that were read with it: asks nothing."""
    assert account.debits is not None and account.credits is not None, "a guarded account has counters"  # noqa: PT018
    grown = account.debits - account.credits
    return grown if account.debit_normal else -grown


def statement(account: LedgerAccount) -> Iterator[StatementLine]:
    """Yield the account's entries from the oldest, each with the balance after it; the last is `balance()`."""
    running = 0
    entries = (
        Entry.objects.filter(Q(debit=account) | Q(credit=account))
        .select_related("transfer")
        .order_by("transfer__occurred_at", "book", "key", "line")
    )
    for entry in entries.iterator():
        grows = (entry.debit_id == account.pk) == account.debit_normal
        change = entry.amount if grows else -entry.amount
        running += change
        transfer = entry.transfer
        yield StatementLine(transfer.occurred_at, transfer.kind, transfer.cause, change, running)


def trial_balance() -> dict[str, int]:
    """Return the balance of every kind of account in kopecks, debit balances above zero; the sum is 0."""
    totals: dict[str, int] = {}
    for side, sign in (("debit", 1), ("credit", -1)):
        sums = Entry.objects.values(f"{side}__kind").annotate(total=Sum("amount"))
        for row in sums:
            kind = row[f"{side}__kind"]
            totals[kind] = totals.get(kind, 0) + sign * int(row["total"])
    return totals
