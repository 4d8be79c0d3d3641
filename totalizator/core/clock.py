"""The one clock: the database's (D-11). Nothing else in the project asks what time it is."""

from datetime import date, datetime, timedelta
from time import monotonic

from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from totalizator.core.models import ClockOffset
from totalizator.engine.deadlines import legal_day

# `totalizator_now()` adds the offset of a moved clock; production does not even ask for it.
NOW_SQL = "totalizator_now()" if settings.CLOCK_MAY_MOVE else "clock_timestamp()"
_LATELY = "clock:lately"


def now() -> datetime:
    """Return the instant, in UTC, as the database sees it while this statement runs (not at its BEGIN)."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {NOW_SQL}")
        (instant,) = cursor.fetchone()
    return instant  # type: ignore[no-any-return]


def lately() -> datetime:
    """Return `now()` as this process last asked for it, at most a second ago: for what counts in minutes.

    It costs nearly nothing. Nothing that money depends on is judged by it.
    """
    known, second = caches["process"], int(monotonic())
    asked_in, instant = known.get(_LATELY) or (None, None)
    if asked_in != second or instant is None:
        instant = now()
        known.set(_LATELY, (second, instant))
    return instant


def today() -> date:
    """Return the legal day (Europe/Minsk) of `now()`."""
    return legal_day(now())


def move_clock(by: timedelta) -> None:
    """Move the clock of a demonstration or test by `by`, for every process on this database.

    :raises ImproperlyConfigured: in production.
    """
    if not settings.CLOCK_MAY_MOVE:
        raise ImproperlyConfigured("The clock cannot be moved in production.")
    caches["process"].delete(_LATELY)
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO core_clockoffset (id, "offset") VALUES (1, %s::interval) ON CONFLICT (id)'
            ' DO UPDATE SET "offset" = core_clockoffset."offset" + EXCLUDED."offset"',
            [str(by.total_seconds()) + " seconds"],
        )


def reset_clock() -> None:
    """Let the clock tell the true time again."""
    ClockOffset.objects.all().delete()
    caches["process"].delete(_LATELY)
