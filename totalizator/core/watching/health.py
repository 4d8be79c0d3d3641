"""Whether this process lives, can sell, and whether the system around it is in order; for load balancers and people.

`/health/live`: the process answers. `/health/selling`: it could sell a bet, which is what a load balancer asks: a
system whose jobs stand still sells on. `/health/ready`: everything is in order.
"""

import threading
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import cache
from time import monotonic

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from totalizator.core import clock
from totalizator.core.clock_drift import drifts, measure_drift
from totalizator.core.errors import DomainError
from totalizator.core.watching.broker import BrokerAway, waiting_messages
from totalizator.core.watching.vital_signs import outbox_lag

HEARD_WITHIN = timedelta(seconds=60)
"""A worker, that is, of something that beat asked for each second."""
MOST_OUTBOX_LAG = timedelta(seconds=60)
LOOKED_AGAIN_AFTER = 1.0
"""Seconds: however many ask, the system is looked at once in so long."""
_HEARTBEAT = "totalizator.core.tasks.seal_journal"

Check = Callable[[], bool]


def database_answers() -> bool:
    """Tell whether the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def database_is_migrated() -> bool:
    """Tell whether every migration of this code was applied."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return _migrations() <= set(cursor.fetchall())


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(key for key in loader.disk_migrations if not loader.disk_migrations[key].replaces)


def clock_is_right() -> bool:
    """Tell whether this machine's clock is near enough to the database's (R3)."""
    return not drifts(measure_drift(), clock.now())


def broker_answers() -> bool:
    """Tell whether the broker answers."""
    waiting_messages()
    return True


def jobs_run() -> bool:
    """Tell whether beat and a worker were heard of lately: the job of each second was done."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM core_jobrun"
            " WHERE name = %s AND succeeded_at > clock_timestamp() - make_interval(secs => %s))",
            [_HEARTBEAT, HEARD_WITHIN.total_seconds()],
        )
        return bool(cursor.fetchone()[0])


def outbox_moves() -> bool:
    """Tell whether events get their numbers in time."""
    return outbox_lag() <= MOST_OUTBOX_LAG


SELLING: dict[str, Check] = {
    "database": database_answers,
    "migrations": database_is_migrated,
    "clock": clock_is_right,
}
READY: dict[str, Check] = {**SELLING, "broker": broker_answers, "jobs": jobs_run, "outbox": outbox_moves}

_looking = threading.Lock()
_seen: dict[str, tuple[float, bool]] = {}


def look(names: Iterable[str]) -> dict[str, bool]:
    """Return which checks hold; one that cannot be made does not."""
    with _looking:
        return {name: _look(name) for name in names}


def look_anew() -> None:
    """Forget what was seen: for tests."""
    _seen.clear()


def _look(name: str) -> bool:
    at, held = _seen.get(name, (0.0, False))
    if not at or monotonic() - at > LOOKED_AGAIN_AFTER:
        try:
            held = READY[name]()
        except (DatabaseError, BrokerAway, DomainError, OSError):
            held = False
        _seen[name] = (monotonic(), held)
    return held


@require_safe
def live(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001
    """Tell that the process answers; nothing else is asked"""
    return _answer({})


@require_safe
def selling(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001
    """Tell whether this process could sell a bet, 503 if not"""
    return _answer(look(SELLING))


@require_safe
def ready(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001
    """Tell whether everything is in order, 503 if not"""
    return _answer(look(READY))


def _answer(checks: dict[str, bool]) -> JsonResponse:
    fine = all(checks.values())
    told = {name: "ok" if held else "not ok" for name, held in checks.items()}
    body = {"status": "ok" if fine else "not ok", **({"checks": told} if told else {})}
    return JsonResponse(body, status=200 if fine else 503, headers={"Cache-Control": "no-store"})
