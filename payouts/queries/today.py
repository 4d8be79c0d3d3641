"""Today's money by channel: sold, paid out, stakes returned; the same figures as the report of sales has (N1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db import connection

from pools.models import Channel
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

# The report of sales also asks what is unpaid of all times; a page that is opened all day asks of the day alone.
_BY_CHANNEL = """
SELECT channel, sum(bets)::bigint, sum(sold)::bigint, sum(paid)::bigint, sum(returned)::bigint FROM (
    SELECT channel, count(*) AS bets, sum(stake) AS sold, 0 AS paid, 0 AS returned FROM pools_bet
    WHERE registered_at >= %(since)s AND registered_at < %(until)s GROUP BY channel
    UNION ALL
    SELECT b.channel, 0, 0, COALESCE(sum(p.gross) FILTER (WHERE p.kind <> 'refund'), 0),
           COALESCE(sum(p.gross) FILTER (WHERE p.kind = 'refund'), 0)
    FROM payouts_payment p JOIN pools_bet b USING (pool_id, ticket)
    WHERE p.paid_at >= %(since)s AND p.paid_at < %(until)s GROUP BY b.channel
) f GROUP BY channel ORDER BY channel
"""


@dataclass(frozen=True, slots=True)
class ChannelMoney:
    """A day's figures of one channel, in kopecks; what is paid is before tax."""

    channel: Channel
    bets: int
    sold: int
    paid: int
    returned: int


def money_of_day(day: date) -> Sequence[ChannelMoney]:
    """Return the figures of a legal day, for each channel in which something happened."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_CHANNEL, {"since": start_of_legal_day(day), "until": end_of_legal_day(day)})
        return [ChannelMoney(Channel(channel), *figures) for channel, *figures in cursor.fetchall()]
