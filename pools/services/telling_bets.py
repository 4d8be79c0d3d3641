"""Telling of bets from their rows, a few seconds after: a bet itself writes nothing for the outbox (docs/adr/0008)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby
from time import sleep
from typing import Any

from django.db import connection, transaction

from pools.models import ToldBets
from pools.queries.bets_being_written import bets_being_written
from totalizator.core import clock
from totalizator.core.outbox import MOST_AT_ONCE, hold_numbering, number_events, tell_all
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.outbox_models import PendingEvent
from totalizator.engine.deadlines import legal_day
from totalizator.engine.instants import instant_text

MOST_BETS = 500
"""Bets in one event."""
MOST_AT_A_TIME = 50_000
"""Bets told in one transaction."""
LOOKS = 50
LOOK_EVERY = timedelta(milliseconds=20)
"""A bet is written in milliseconds: after LOOKS of them the next tick tries again."""

_BETS = """
SELECT p.code, b.registered_at, b.ticket, b.lines, b.stake, b.channel, b.till_id
FROM pools_bet b JOIN pools_pool p ON p.id = b.pool_id
WHERE b.registered_at >= %s AND b.registered_at < %s
ORDER BY b.registered_at, b.ticket
"""
# A part of what is told at a time ends between two instants, never between two bets of one.
_END_OF_PART = """
SELECT registered_at FROM pools_bet WHERE registered_at >= %s AND registered_at < %s
ORDER BY registered_at OFFSET %s LIMIT 1
"""


def number_what_happened() -> int:
    """Tell of the bets that are certain by now, and give their numbers to all events; return how many got one.

    An instant is certain when no bet with an earlier one is still being written. What was done after it waits for the
    next call, so that a pool's bets come after its opening and before its closing.
    """
    certain = certain_instant()
    count = 0
    while certain is not None:
        with transaction.atomic():
            hold_numbering()
            until = _tell_of_bets(certain)
            numbered = number_events(until=until)
        count += numbered
        if numbered < MOST_AT_ONCE and until == certain:
            break
    return count


def certain_instant() -> datetime | None:
    """Return an instant such that every bet registered before it is committed; None when some go on being written.

    A bet holds its pool before it reads its instant. Who holds none of the locks that were held after the clock was
    read here has either ended, or will read a later instant.
    """
    now = clock.now()
    writing = bets_being_written()
    for _look in range(LOOKS):
        if not writing:
            return now
        sleep(LOOK_EVERY.total_seconds())
        writing &= bets_being_written()
    return None


def _tell_of_bets(certain: datetime) -> datetime:
    """Tell of the next bets; return the instant up to which all have been told of now."""
    told, _created = ToldBets.objects.get_or_create(defaults={"until": datetime.min.replace(tzinfo=certain.tzinfo)})
    until = certain
    with connection.cursor() as cursor:
        cursor.execute(_END_OF_PART, [told.until, certain, MOST_AT_A_TIME])
        if (row := cursor.fetchone()) is not None and row[0] > told.until:
            until = row[0]
        cursor.execute(_BETS, [told.until, until])
        bets = cursor.fetchall()
    if until > told.until:
        tell_all(list(_events(bets)))
        ToldBets.objects.filter(pk=told.pk).update(until=until)
    return until


def _events(bets: list[tuple[Any, ...]]) -> Iterator[PendingEvent]:
    """Yield the events of these bets: each of one pool and one legal day, at the instant of its last bet."""
    bets.sort(key=lambda bet: (bet[0], bet[1], bet[2]))
    for (code, _day), group in groupby(bets, key=lambda bet: (bet[0], legal_day(bet[1]))):
        rows = list(group)
        for start in range(0, len(rows), MOST_BETS):
            some = rows[start : start + MOST_BETS]
            yield PendingEvent(
                kind=EventKind.BETS_REGISTERED,
                subject=f"pool:{code}",
                payload={"count": len(some), "amount": sum(bet[4] for bet in some), "bets": list(map(_bet, some))},
                at=some[-1][1],
            )


def _bet(bet: tuple[Any, ...]) -> dict[str, Any]:
    """Write a bet as it is told: what was chosen stays unknown until the pool is settled (X1)."""
    _code, registered_at, ticket, lines, stake, channel, till = bet
    return {
        "ticket": ticket,
        "lines": lines,
        "stake": stake,
        "channel": channel,
        "till": till,
        "registered_at": instant_text(registered_at),
    }
