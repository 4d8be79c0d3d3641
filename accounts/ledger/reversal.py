"""Undoing a transfer by writing its mirror; nothing is ever changed or deleted."""

from datetime import datetime

from accounts.ledger.kinds import TransferKind
from accounts.ledger.models import Entry, Transfer
from accounts.ledger.posting import Movement, post


def reverse(transfer: Transfer, *, occurred_at: datetime, cause: str) -> Transfer:
    """Write the transfer that undoes `transfer`, with each debit and credit exchanged.

    :raises DuplicateTransfer: it was reversed before.
    :raises DomainError: INSUFFICIENT_FUNDS when the money has moved on.
    """
    entries = Entry.objects.filter(book=transfer.book, key=transfer.key).select_related("debit", "credit")
    return post(
        book=transfer.book,
        key=f"reversal:{transfer.key}",
        kind=TransferKind.REVERSAL,
        occurred_at=occurred_at,
        cause=cause,
        movements=[Movement(e.credit, e.debit, e.amount) for e in entries.order_by("line")],
        reversal_of=transfer.key,
    )
