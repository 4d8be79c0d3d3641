"""Operations that could be parts of a larger one: cash at a point, deposits onto an account (Q2)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its transfer's key, when, and how many kopecks."""

    reference: str
    at: datetime
    amount: int


_CASH = """
SELECT 'point:' || p.code, t.key, t.occurred_at, e.amount
FROM accounts_transfer t
JOIN accounts_entry e USING (book, key)
JOIN accounts_till l ON l.ledger_account_id IN (e.debit_id, e.credit_id)
JOIN accounts_bettingpoint p ON p.id = l.point_id
WHERE t.occurred_at >= %(since)s AND t.occurred_at < %(until)s
  AND t.kind IN ('stake', 'winning_paid', 'refund_paid', 'deposit', 'card_sold')
  AND e.amount >= %(least)s AND e.amount < %(below)s
ORDER BY 1, t.occurred_at, t.key
"""
_DEPOSITS = """
SELECT 'game_account:' || g.id, t.key, t.occurred_at, e.amount
FROM accounts_transfer t
JOIN accounts_entry e USING (book, key)
JOIN accounts_gameaccount g ON g.ledger_account_id = e.credit_id
WHERE t.occurred_at >= %(since)s AND t.occurred_at < %(until)s
  AND t.kind = 'deposit' AND e.amount >= %(least)s AND e.amount < %(below)s
ORDER BY 1, t.occurred_at, t.key
"""
Read = Callable[..., Mapping[str, Sequence[Operation]]]


def cash_operations(*, since: datetime, until: datetime, least: int, below: int) -> Mapping[str, Sequence[Operation]]:
    """Return the operations in cash of `least` kopecks up to `below`, by point, the oldest first."""
    return _read(_CASH, since, until, least, below)


def deposits(*, since: datetime, until: datetime, least: int, below: int) -> Mapping[str, Sequence[Operation]]:
    """Return the deposits of `least` kopecks up to `below`, whichever way they came, by game account."""
    return _read(_DEPOSITS, since, until, least, below)


def _read(sql: str, since: datetime, until: datetime, least: int, below: int) -> Mapping[str, Sequence[Operation]]:
    found: dict[str, list[Operation]] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, {"since": since, "until": until, "least": least, "below": below})
        for subject, reference, at, amount in cursor.fetchall():
            found.setdefault(subject, []).append(Operation(reference, at, amount))
    return found


def episodes(
    operations: Sequence[Operation], *, window: timedelta, count: int, least_sum: int = 0
) -> Iterator[Sequence[Operation]]:
    """Yield the stretches of `operations`, oldest first, that look split up: each operation of one is in some window
    of that length with at least `count` operations that come to at least `least_sum` kopecks together.
    """
    first = last = -1  # of the stretch that is being put together
    end = total = 0
    for start, operation in enumerate(operations):
        while end < len(operations) and operations[end].at - operation.at <= window:
            total += operations[end].amount
            end += 1
        if end - start >= count and total >= least_sum:
            if start > last:
                if last >= 0:
                    yield operations[first : last + 1]
                first = start
            last = end - 1
        total -= operation.amount
    if last >= 0:
        yield operations[first : last + 1]
