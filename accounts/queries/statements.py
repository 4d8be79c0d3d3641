"""What happened on a game account in a period: what was there, each entry, what is there (E4, ¶35.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from accounts.models import LedgerAccount


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One entry as the account's owner sees it, in kopecks. `tax` was withheld beside it; `balance` is after it."""

    occurred_at: datetime
    kind: str
    cause: str
    key: str
    change: int
    tax: int
    balance: int


@dataclass(frozen=True, slots=True)
class AccountPeriod:
    """The entries of an account from one instant to another, `until` not included, the oldest first."""

    since: datetime
    until: datetime
    opening: int
    lines: Sequence[AccountLine]

    @property
    def closing(self) -> int:
        """What is there at the end."""
        return self.lines[-1].balance if self.lines else self.opening


# One statement, so that opening balance and entries are of one moment.
_PERIOD = """
WITH mine AS (
    SELECT e.book, e.key, e.line, CASE WHEN e.debit_id = %(account)s THEN -e.amount ELSE e.amount END AS change
    FROM accounts_entry e WHERE e.debit_id = %(account)s OR e.credit_id = %(account)s
), dated AS (
    SELECT t.occurred_at, t.kind, t.cause, m.book, m.key, m.line, m.change
    FROM mine m JOIN accounts_transfer t USING (book, key) WHERE t.occurred_at < %(until)s
), opening AS (
    SELECT COALESCE(sum(change), 0) AS amount FROM dated WHERE occurred_at < %(since)s
)
SELECT o.amount, d.occurred_at, d.kind, d.cause, d.key, d.change,
       CASE WHEN d.kind = 'winning_paid' THEN (
           SELECT COALESCE(sum(x.amount), 0) FROM accounts_entry x JOIN accounts_ledgeraccount a ON a.id = x.credit_id
           WHERE x.book = d.book AND x.key = d.key AND a.kind = 'tax_due') ELSE 0 END
FROM opening o LEFT JOIN dated d ON d.occurred_at >= %(since)s
ORDER BY d.occurred_at, d.book, d.key, d.line
"""


def account_period(account: LedgerAccount, since: datetime, until: datetime) -> AccountPeriod:
    """Return what happened on a player's ledger account from `since` to `until`, `until` not included."""
    with connection.cursor() as cursor:
        cursor.execute(_PERIOD, {"account": account.pk, "since": since, "until": until})
        rows = cursor.fetchall()
    opening = running = int(rows[0][0])
    lines = []
    for _opening, occurred_at, kind, cause, key, change, tax in rows:
        if occurred_at is None:
            break
        running += int(change)
        lines.append(AccountLine(occurred_at, kind, cause, key, int(change), int(tax), running))
    return AccountPeriod(since, until, opening, lines)
