"""`post()`: the only way money moves. Docs: docs/ledger.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import DEBIT_NORMAL, GUARDED, AccountKind, TransferKind
from accounts.ledger.models import HOUSE_BOOK, Entry, LedgerAccount, Transfer
from totalizator.core.errors import DomainError, Refusal


class DuplicateTransfer(Exception):
    """A transfer with this key stands in the book already: the act was done before."""


@dataclass(frozen=True, slots=True)
class Movement:
    """`amount` kopecks, above zero: debit one account, credit the other."""

    debit: LedgerAccount
    credit: LedgerAccount
    amount: int


def ledger_account(kind: AccountKind, owner: str = "") -> LedgerAccount:
    """Return the account of `kind` that belongs to `owner`, opening it when it is new."""
    guarded = kind in GUARDED
    account, _created = LedgerAccount.objects.get_or_create(
        kind=kind,
        owner=owner,
        defaults={
            "guarded": guarded,
            "debit_normal": kind in DEBIT_NORMAL,
            "debits": 0 if guarded else None,
            "credits": 0 if guarded else None,
        },
    )
    return account


def post(
    *,
    key: str,
    kind: TransferKind,
    occurred_at: datetime,
    cause: str,
    movements: Sequence[Movement],
    book: int = HOUSE_BOOK,
    reversal_of: str | None = None,
) -> Transfer:
    """Write one transfer and its entries, and grow the counters of guarded accounts.

    Amounts are kopecks above zero. Runs inside the caller's transaction; guarded accounts are locked in the
    order of their ids (docs/locking.md).

    :raises DuplicateTransfer: the key stands in this book; nothing was written.
    :raises DomainError: INSUFFICIENT_FUNDS, with the missing sum, when a guarded account would be overdrawn.
    """
    if not movements:
        raise ValueError("a transfer moves something")
    transfer = Transfer(book=book, key=key, kind=kind, occurred_at=occurred_at, cause=cause, reversal_of=reversal_of)
    _insert_transfer(transfer)
    _grow_counters(movements)
    Entry.objects.bulk_create(
        Entry(book=book, key=key, line=line, debit=m.debit, credit=m.credit, amount=m.amount)
        for line, m in enumerate(movements)
    )
    return transfer


def _insert_transfer(transfer: Transfer) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause, reversal_of)"
            " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [
                transfer.book,
                transfer.key,
                transfer.kind,
                transfer.occurred_at,
                transfer.cause,
                transfer.reversal_of,
            ],
        )
        if cursor.rowcount == 0:
            raise DuplicateTransfer(f"{transfer.book}/{transfer.key}")


def _grow_counters(movements: Sequence[Movement]) -> None:
    growth: dict[int, tuple[LedgerAccount, int, int]] = {}
    for movement in movements:
        for account, debit, credit in (
            (movement.debit, movement.amount, 0),
            (movement.credit, 0, movement.amount),
        ):
            if account.guarded:
                _account, debits, credits = growth.get(account.pk, (account, 0, 0))
                growth[account.pk] = (account, debits + debit, credits + credit)
    for number in sorted(growth):
        _grow(*growth[number])


def _grow(account: LedgerAccount, debits: int, credits: int) -> None:
    """Grow both counters at once, unless that would overdraw the account."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE accounts_ledgeraccount SET debits = debits + %(debits)s, credits = credits + %(credits)s"
            " WHERE id = %(id)s AND CASE WHEN debit_normal"
            "   THEN debits + %(debits)s >= credits + %(credits)s"
            "   ELSE credits + %(credits)s >= debits + %(debits)s END",
            {"id": account.pk, "debits": debits, "credits": credits},
        )
        if cursor.rowcount == 1:
            return
    raise DomainError(
        Refusal.INSUFFICIENT_FUNDS,
        _("There is not enough money: %(account)s.") % {"account": AccountKind(account.kind).label},
        account=str(account),
        needed=abs(debits - credits),
        available=balance_of_guarded(account),
    )


def balance_of_guarded(account: LedgerAccount) -> int:
    """Return the present balance, in kopecks, read from the counters."""
    row = LedgerAccount.objects.values_list("debits", "credits").get(pk=account.pk)
    debits, credits = row[0] or 0, row[1] or 0
    return debits - credits if account.debit_normal else credits - debits
