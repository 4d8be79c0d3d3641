"""How far this machine's clock is from the database's, by which all bets are judged (R3).

The database's time is authoritative, so a wrong clock never makes a bet late or early. But a machine whose clock drifts
beyond a tolerance is out of order, as its logs, its signed requests and its jobs tell another time: it stops selling.
"""

import platform
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.db import connection
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.legal import legal_numbers

LOOKED_AFTER = 10  # seconds
MILLISECOND = timedelta(milliseconds=1)


def machine() -> str:
    """Return the name of this machine."""
    return platform.node()


def own_time() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


def measure_drift() -> timedelta:
    """Return how far this machine is ahead of the database; the way there and back counts half."""
    before = own_time()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")  # never moved: both clocks are true ones
        theirs: datetime = cursor.fetchone()[0]
    after = own_time()
    return before + (after - before) // 2 - theirs


def drifts(drift: timedelta, at: datetime) -> bool:
    """Tell whether a drift is beyond the tolerance that holds at `at`."""
    tolerance = int(legal_numbers(at)["clock_tolerance_milliseconds"])
    return abs(drift) > timedelta(milliseconds=tolerance)


def refuse_drifting(at: datetime) -> None:
    """Refuse a sale on a machine whose clock drifts; it is looked at every ten seconds, not at every bet.

    :raises DomainError: CLOCK_DRIFTS.
    """
    if drifts(_lately(int(time.monotonic()) // LOOKED_AFTER), at):
        raise DomainError(Refusal.CLOCK_DRIFTS, _("The clock of this machine is wrong: it does not sell."))


def forget_drift() -> None:
    """Measure anew at the next sale: for who has just set the clock, in this process."""
    _lately.cache_clear()


@lru_cache(maxsize=1)
def _lately(_ten_seconds: int) -> timedelta:
    return measure_drift()
