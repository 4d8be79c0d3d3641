"""A day's money by hour and channel: sold, paid out, stakes returned; the figures that the report of sales has (N1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.db import connection

from pools.models import Channel
from pools.queries.sold_so_far import SETTLES
from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

HOUR = timedelta(hours=1)
PAID_SETTLES = HOUR
"""So long after an instant every payment made by then can be read: many accounts are credited in one go."""
_KEPT_SECONDS = 86_400

# The report of sales also asks what is unpaid of all times; a page that is opened all day asks of the day alone.
_BY_HOUR = """
SELECT date_bin('1 hour', registered_at, %(begins)s), channel, registered_at < %(sold_to)s, count(*),
       sum(stake)::bigint, 0::bigint, 0::bigint
FROM pools_bet WHERE registered_at >= %(sold_since)s AND registered_at < %(until)s GROUP BY 1, 2, 3
UNION ALL
SELECT date_bin('1 hour', p.paid_at, %(begins)s), b.channel, p.paid_at < %(paid_to)s, 0,
       0, COALESCE(sum(p.gross) FILTER (WHERE p.kind <> 'refund'), 0)::bigint,
       COALESCE(sum(p.gross) FILTER (WHERE p.kind = 'refund'), 0)::bigint
FROM payouts_payment p JOIN pools_bet b USING (pool_id, ticket)
WHERE p.paid_at >= %(paid_since)s AND p.paid_at < %(until)s GROUP BY 1, 2, 3
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


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is final, and until when: it is not counted again."""

    sold_to: datetime
    paid_to: datetime
    hours: Mapping[tuple[datetime, Channel], ChannelMoney]


def money_of_day(day: date, now: datetime) -> DayMoney:
    """Return the figures of a legal day until now: exact, though each process counts what is final only once."""
    begins, ends = start_of_legal_day(day), end_of_legal_day(day)
    cache, key = caches["process"], f"money-of-hours:{day.isoformat()}"
    known: _Counted = cache.get(key) or _Counted(begins, begins, {})
    until = max(begins, min(ends, now))
    sold_to = max(known.sold_to, min(until, now - SETTLES))
    paid_to = max(known.paid_to, min(until, now - PAID_SETTLES))
    told = {"begins": begins, "until": until, "sold_to": sold_to, "paid_to": paid_to}
    with connection.cursor() as cursor:
        cursor.execute(_BY_HOUR, {**told, "sold_since": known.sold_to, "paid_since": known.paid_to})
        rows = cursor.fetchall()
    final = _added(known.hours, [row for row in rows if row[2]])
    cache.set(key, _Counted(sold_to, paid_to, final), _KEPT_SECONDS)
    hours = _added(final, [row for row in rows if not row[2]])
    return DayMoney(begins, ends, [(hour, hours[hour, channel]) for hour, channel in sorted(hours)])


def _added(
    hours: Mapping[tuple[datetime, Channel], ChannelMoney], rows: Iterable[tuple[Any, ...]]
) -> dict[tuple[datetime, Channel], ChannelMoney]:
    added = dict(hours)
    for hour, name, _is_final, bets, sold, paid, returned in rows:
        channel = Channel(name)
        so_far = added.get((hour, channel), ChannelMoney(channel, 0, 0, 0, 0))
        added[hour, channel] = ChannelMoney(
            channel, so_far.bets + bets, so_far.sold + sold, so_far.paid + paid, so_far.returned + returned
        )
    return added
