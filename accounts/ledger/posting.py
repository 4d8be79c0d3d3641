"""`post()` and `post_many()`: the only way money moves (docs/ledger.md)."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import DEBIT_NORMAL, GUARDED, AccountKind, TransferKind
from accounts.ledger.models import HOUSE_BOOK, LedgerAccount, Transfer
from accounts.ledger.telling import tell_of_money
from totalizator.core.columns import array
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.prepared import prepared_cursor

_PREPARED_ROWS = 2


class DuplicateTransfer(Exception):
    """A transfer with this key stands in the book already: the act was done before."""


class Movement(NamedTuple):
    """`amount` kopecks, above zero: debit one account, credit the other."""

    debit: LedgerAccount
    credit: LedgerAccount
    amount: int


@dataclass(frozen=True, slots=True)
class NewTransfer:
    """A transfer to be posted. `key` makes it happen once within its `book`: a pool's id, or the house's."""

    key: str
    kind: TransferKind
    occurred_at: datetime
    cause: str
    movements: Sequence[Movement]
    book: int = HOUSE_BOOK
    reversal_of: str | None = None

    def __post_init__(self) -> None:
        if not self.movements:
            raise ValueError("a transfer moves something")


@dataclass(slots=True)
class _Growth:
    """By how much the two counters of one guarded account grow, in kopecks."""

    account: LedgerAccount
    debits: int = 0
    credits: int = 0


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
    """Write one transfer and its entries, and grow the counters of guarded accounts, inside the caller's transaction.

    :raises DuplicateTransfer: the key stands in this book (or the reversed one was reversed); nothing was written,
        and the caller may go on.
    :raises DomainError: INSUFFICIENT_FUNDS, with the sums, when a guarded account would be overdrawn; the
        transaction can then only be rolled back.
    """
    post_many([NewTransfer(key, kind, occurred_at, cause, movements, book, reversal_of)])
    return Transfer(book=book, key=key, kind=kind, occurred_at=occurred_at, cause=cause, reversal_of=reversal_of)


def post_many(transfers: Sequence[NewTransfer]) -> None:
    """Write all the transfers, or none: as many statements for a thousand as for one.

    Within a call keys are unique. Counters grow by the sum of all transfers, so an account may pay out what it gets
    in the same call. They are locked last, and in the order of their ids (docs/locking.md).

    :raises DuplicateTransfer: some key stands already; if others did not, the transaction can only be rolled back.
    :raises DomainError: INSUFFICIENT_FUNDS, as `post`.
    """
    assert connection.in_atomic_block, "money moves only inside a transaction"
    if not transfers:
        return
    written = _insert_transfers(transfers)
    if written < len(transfers):
        if written:
            _forbid_commit()
        raise DuplicateTransfer(", ".join(f"{transfer.book}/{transfer.key}" for transfer in transfers[:3]))
    _insert_entries(transfers)
    growth = _growth(transfers)
    if growth:
        _grow(growth)
    tell_of_money(transfers)


def _forbid_commit() -> None:
    """Make sure that nobody who catches the refusal commits what was written before it."""
    transaction.set_rollback(True)


def _insert_transfers(transfers: Sequence[NewTransfer]) -> int:
    """Insert the transfers whose keys are new; return how many. Waits for who is writing the same key."""
    rows, values = _rows(
        ("bigint", "text", "text", "timestamptz", "text", "text"),
        [(t.book, t.key, str(t.kind), t.occurred_at, t.cause, t.reversal_of) for t in transfers],
    )
    with _cursor(transfers) as cursor:
        cursor.execute(
            f"INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause, reversal_of) {rows}"
            " ON CONFLICT DO NOTHING",
            values,
        )
        return int(cursor.rowcount)


def _insert_entries(transfers: Sequence[NewTransfer]) -> None:
    rows, values = _rows(
        ("bigint", "text", "smallint", "bigint", "bigint", "bigint"),
        [
            (t.book, t.key, line, movement.debit.id, movement.credit.id, movement.amount)
            for t in transfers
            for line, movement in enumerate(t.movements)
        ],
    )
    with _cursor(transfers) as cursor:
        cursor.execute(f"INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount) {rows}", values)


def _rows(types: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> tuple[str, Sequence[Any]]:
    """Return SQL that yields `rows`, and its parameters: quickest to plan for one row, to parse for many."""
    if len(rows) == 1:
        return "VALUES (" + ", ".join(f"%s::{name}" for name in types) + ")", rows[0]
    columns = [array(name, column) for name, column in zip(types, zip(*rows, strict=True), strict=True)]
    return "SELECT * FROM unnest(" + ", ".join(f"%s::{name}[]" for name in types) + ")", columns


def _growth(transfers: Sequence[NewTransfer]) -> dict[int, _Growth]:
    """Sum up, per guarded account, what the transfers add to its counters; in the order of the accounts' ids."""
    growth: dict[int, _Growth] = {}
    for transfer in transfers:
        for movement in transfer.movements:
            if movement.debit.guarded:
                growth.setdefault(movement.debit.id, _Growth(movement.debit)).debits += movement.amount
            if movement.credit.guarded:
                growth.setdefault(movement.credit.id, _Growth(movement.credit)).credits += movement.amount
    return dict(sorted(growth.items()))


def _cursor(rows: Sized) -> CursorWrapper:
    """Prepare what is written for one transfer or two accounts; of more, every number of rows is another text."""
    return prepared_cursor() if len(rows) <= _PREPARED_ROWS else connection.cursor()


def _grow(growth: Mapping[int, _Growth]) -> None:
    """Grow the counters, unless that would overdraw an account: the condition and the change are one statement."""
    rows, values = _rows(("bigint", "bigint", "bigint"), [(n, g.debits, g.credits) for n, g in growth.items()])
    with _cursor(growth) as cursor:
        if len(growth) > 1:
            cursor.execute(
                "SELECT FROM accounts_ledgeraccount WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE", [list(growth)]
            )
        cursor.execute(
            "UPDATE accounts_ledgeraccount a SET debits = a.debits + g.debits, credits = a.credits + g.credits"
            f" FROM ({rows}) AS g (id, debits, credits)"
            " WHERE a.id = g.id AND CASE WHEN a.debit_normal"
            "   THEN a.debits + g.debits >= a.credits + g.credits"
            "   ELSE a.credits + g.credits >= a.debits + g.debits END"
            " RETURNING a.id",
            values,
        )
        grown = {number for (number,) in cursor.fetchall()}
    for number, wanted in growth.items():
        if number not in grown:
            refusal = insufficient(wanted.account, abs(wanted.debits - wanted.credits))
            _forbid_commit()  # after it has read what there is
            raise refusal


def insufficient(account: LedgerAccount, needed: int) -> DomainError:
    """Return the refusal of `needed` kopecks that a guarded account does not have."""
    return DomainError(
        Refusal.INSUFFICIENT_FUNDS,
        _("There is not enough money: %(account)s.") % {"account": AccountKind(account.kind).label},
        account=str(account),
        needed=needed,
        available=balance_of_guarded(account),
    )


def balance_of_guarded(account: LedgerAccount) -> int:
    """Return the present balance, in kopecks, read from the counters."""
    debits, credits = LedgerAccount.objects.values_list("debits", "credits").get(pk=account.pk)
    balance = (debits or 0) - (credits or 0)
    return balance if account.debit_normal else -balance
