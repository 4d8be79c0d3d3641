"""What a betting point sold and paid on a day (N1)."""

from dataclasses import dataclass
from datetime import date

from django.db import connection

from pools.models import Channel
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

_SOLD = """
SELECT b.channel, count(*), sum(b.stake)::bigint
FROM pools_bet b JOIN accounts_till t ON t.id = b.till_id
WHERE t.point_id = %s AND b.registered_at >= %s AND b.registered_at < %s GROUP BY b.channel ORDER BY b.channel
"""

_PAID = """
SELECT COALESCE(sum(p.net - p.rounded) FILTER (WHERE p.kind <> 'refund'), 0)::bigint,
       COALESCE(sum(p.net - p.rounded) FILTER (WHERE p.kind = 'refund'), 0)::bigint
FROM payouts_payment p JOIN accounts_till t ON t.id = p.till_id
WHERE t.point_id = %s AND p.paid_at >= %s AND p.paid_at < %s
"""


@dataclass(frozen=True, slots=True)
class SoldHere:
    """A day's bets of one channel at a point; the stake in kopecks."""

    channel: Channel
    bets: int
    stake: int


@dataclass(frozen=True, slots=True)
class Turnover:
    """A day of a point: its bets by channel, and what it handed out in cash, whoever sold it, in kopecks."""

    sold: list[SoldHere]
    paid: int
    returned: int

    @property
    def stake(self) -> int:
        """All that was staked here."""
        return sum(row.stake for row in self.sold)

    @property
    def bets(self) -> int:
        """How many bets that were."""
        return sum(row.bets for row in self.sold)


def turnover_of_point(point_id: int, day: date) -> Turnover:
    """Return the turnover of a point on a legal day."""
    asked = (point_id, start_of_legal_day(day), end_of_legal_day(day))
    with connection.cursor() as cursor:
        cursor.execute(_SOLD, asked)
        sold = [SoldHere(Channel(channel), bets, stake) for channel, bets, stake in cursor.fetchall()]
        cursor.execute(_PAID, asked)
        paid, returned = cursor.fetchone()
    return Turnover(sold, paid, returned)
