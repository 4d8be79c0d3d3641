"""Putting credited lines of the bank into the books: their money waits in `bank_suspense` (¶9.8, ¶35.5)."""

from collections.abc import Sequence
from datetime import datetime

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.models import BankLine, Receipt, WhyOpen


def book_credits(lines: Sequence[BankLine], at: datetime) -> None:
    """Book credited lines and let their receipts be looked at, inside the caller's transaction; each line once."""
    Receipt.objects.bulk_create([Receipt(line=line, open_amount=line.amount, why=WhyOpen.NEW) for line in lines])
    bank, suspense = ledger_account(AccountKind.BANK), ledger_account(AccountKind.BANK_SUSPENSE)
    post_many(
        [
            NewTransfer(
                key=f"receipt:{line.pk}",
                kind=TransferKind.BANK_RECEIPT,
                occurred_at=at,
                cause=f"bank_line:{line.pk}",
                movements=[Movement(bank, suspense, line.amount)],
            )
            for line in lines
        ]
    )
