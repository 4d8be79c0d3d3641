"""Money that waits for who brings a ticket: in public totals by pool and point, tied to the ledger (X10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

_UNCLAIMED = """
SELECT p.code, COALESCE(b.code, ''), COALESCE(b.name, ''), min(y.payable_until), count(*),
       COALESCE(sum(y.amount) FILTER (WHERE y.kind <> 'refund'), 0),
       COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'refund'), 0)
FROM payouts_payable y
JOIN pools_pool p ON p.id = y.pool_id
JOIN pools_bet x ON x.pool_id = y.pool_id AND x.ticket = y.ticket
LEFT JOIN accounts_till t ON t.id = x.till_id
LEFT JOIN accounts_bettingpoint b ON b.id = t.point_id
WHERE y.state = 'due' AND y.pay_to_id IS NULL AND y.payable_from <= %s
GROUP BY p.code, b.code, b.name
ORDER BY p.code, 2
"""


@dataclass(frozen=True, slots=True)
class UnclaimedMoney:
    """What is payable now at tills on tickets of one pool that one point sold; kopecks before tax."""

    pool: str
    point: str
    point_name: str
    payable_until: datetime | None
    tickets: int
    winnings: int
    refunds: int


def unclaimed_money(now: datetime) -> Sequence[UnclaimedMoney]:
    """Return every pool and point whose tickets are payable by `now` and not paid; an empty point: sold at none."""
    with connection.cursor() as cursor:
        cursor.execute(_UNCLAIMED, [now])
        return [
            UnclaimedMoney(pool, point, name, until, int(tickets), int(winnings), int(refunds))
            for pool, point, name, until, tickets, winnings, refunds in cursor.fetchall()
        ]
