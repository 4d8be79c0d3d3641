"""A day's money by hour and channel: sold, paid out, stakes returned; the figures that the report of sales has (N1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.core.cache import caches
from django.db import connection

from pools.models import Channel
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

HOUR = timedelta(hours=1)
SETTLES = HOUR
"""So long after its end nothing is written any more of an hour: its figures are final, and kept."""
_KEPT_SECONDS = 86_400

# The report of sales also asks what is unpaid of all times; a page that is opened all day asks of the day alone.
_BY_HOUR = """
SELECT hour, channel, sum(bets)::bigint, sum(sold)::bigint, sum(paid)::bigint, sum(returned)::bigint FROM (
    SELECT date_bin('1 hour', registered_at, %(since)s) AS hour, channel, count(*) AS bets, sum(stake) AS sold,
           0 AS paid, 0 AS returned
    FROM pools_bet WHERE registered_at >= %(since)s AND registered_at < %(until)s GROUP BY 1, 2
    UNION ALL
    SELECT date_bin('1 hour', p.paid_at, %(since)s), b.channel, 0, 0,
           COALESCE(sum(p.gross) FILTER (WHERE p.kind <> 'refund'), 0),
           COALESCE(sum(p.gross) FILTER (WHERE p.kind = 'refund'), 0)
    FROM payouts_payment p JOIN pools_bet b USING (pool_id, ticket)
    WHERE p.paid_at >= %(since)s AND p.paid_at < %(until)s GROUP BY 1, 2
) f GROUP BY hour, channel ORDER BY hour, channel
"""


@dataclass(frozen=True, slots=True)
class ChannelMoney:
    """The figures of one channel, in kopecks; what is paid is before tax."""

    channel: Channel
    bets: int
    sold: int
    paid: int
    returned: int


@dataclass(frozen=True, slots=True)
class DayMoney:
    """A legal day's figures: of each hour (by its first instant) and channel in which something happened."""

    begins: datetime
    ends: datetime
    hours: Sequence[tuple[datetime, ChannelMoney]]

    @property
    def channels(self) -> Sequence[ChannelMoney]:
        """The day's figures of each channel."""
        sums: dict[Channel, list[int]] = {}
        for _hour, row in self.hours:
            so_far = sums.get(row.channel, [0, 0, 0, 0])
            figures = (row.bets, row.sold, row.paid, row.returned)
            sums[row.channel] = [one + more for one, more in zip(so_far, figures, strict=True)]
        return [ChannelMoney(channel, *sums[channel]) for channel in sorted(sums)]

    @property
    def turnover(self) -> Sequence[tuple[int, int]]:
        """What was staked in each hour of the day: the hour, from 0, and kopecks."""
        staked = dict.fromkeys(range((self.ends - self.begins) // HOUR), 0)
        for hour, row in self.hours:
            staked[(hour - self.begins) // HOUR] += row.sold
        return list(staked.items())


def money_of_day(day: date, now: datetime) -> DayMoney:
    """Return the figures of a legal day until now: exact, though each process counts an hour that is over only once."""
    begins, ends = start_of_legal_day(day), end_of_legal_day(day)
    cache, key = caches["process"], f"money-of-hours:{day.isoformat()}"
    counted_to, known = cache.get(key) or (begins, [])
    if counted_to == ends:
        return DayMoney(begins, ends, known)
    final = begins + HOUR * min((ends - begins) // HOUR, max(0, (now - SETTLES - begins) // HOUR))
    with connection.cursor() as cursor:
        cursor.execute(_BY_HOUR, {"since": counted_to, "until": min(ends, now)})
        hours = [*known, *((hour, ChannelMoney(Channel(name), *sums)) for hour, name, *sums in cursor.fetchall())]
    cache.set(key, (final, [(hour, row) for hour, row in hours if hour < final]), _KEPT_SECONDS)
    return DayMoney(begins, ends, hours)
