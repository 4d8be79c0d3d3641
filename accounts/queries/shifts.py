"""What happened in a shift, from the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from accounts.ledger.kinds import TransferKind
from accounts.models import LedgerAccount, Shift

# Differences are posted between shifts: at an opening before it begins, at a closing after it has ended.
_BETWEEN = [TransferKind.CASH_SHORT, TransferKind.CASH_OVER]

_MOVED = """
SELECT t.kind, e.side, count(*), sum(e.amount)
FROM (SELECT book, key, amount, 'in' AS side FROM accounts_entry WHERE debit_id = %(account)s
      UNION ALL SELECT book, key, amount, 'out' FROM accounts_entry WHERE credit_id = %(account)s) e
JOIN accounts_transfer t USING (book, key)
WHERE t.occurred_at BETWEEN %(opened_at)s AND %(until)s AND t.kind <> ALL (%(between)s)
GROUP BY t.kind, e.side ORDER BY e.side, t.kind
"""


@dataclass(frozen=True, slots=True)
class Counters:
    """The growing counters of a till's account, in kopecks."""

    debits: int
    credits: int

    @property
    def cash(self) -> int:
        """What is in the till."""
        return self.debits - self.credits


@dataclass(frozen=True, slots=True)
class ShiftLine:
    """What came in or went out for one reason: how often, and how much in kopecks."""

    kind: str
    side: str
    count: int
    amount: int


def lock_counters(account: LedgerAccount) -> Counters:
    """Read a till's counters and keep them as they are until the transaction ends."""
    locked = LedgerAccount.objects.select_for_update(no_key=True).get(pk=account.pk)
    return Counters(locked.debits or 0, locked.credits or 0)


def shift_lines(shift: Shift, *, until: datetime) -> Sequence[ShiftLine]:
    """Return what moved in the till from the shift's opening to `until`, by kind of transfer."""
    with connection.cursor() as cursor:
        cursor.execute(
            _MOVED,
            {
                "account": shift.till.ledger_account_id,
                "opened_at": shift.opened_at,
                "until": until,
                "between": [str(kind) for kind in _BETWEEN],
            },
        )
        return [ShiftLine(kind, side, count, int(amount)) for kind, side, count, amount in cursor.fetchall()]
