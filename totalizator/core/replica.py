"""Reading from a replica what may be a little old: the archive of results, open data. Nothing else ever does.

DATABASE_REPLICA_URL names it; without it everything is read where it is written. Whoever is logged in reads there in
any case, so that nobody misses what they have just done. A decision about money never reads a replica: outside a view
that says so, the router knows one database only, also for rows that came from the replica.
"""

import logging
import threading
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import wraps
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ALIAS = "replica"
MOST_LAG = timedelta(seconds=60)
"""A replica that is further behind is not asked."""
LOOKED_AGAIN_AFTER = 1.0
HEADER = "Data-As-Of"
_PUBLIC = frozenset({"payouts", "pools"})
_AS_OF = """
SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN clock_timestamp()
            ELSE pg_last_xact_replay_timestamp() END, clock_timestamp()
"""
logger = logging.getLogger(__name__)
_reading: ContextVar[bool] = ContextVar("reading_from_replica", default=False)
_looking = threading.Lock()
_seen: tuple[float, datetime | None] = (0.0, None)


class Router:
    """Say which database a query goes to; every answer is explicit, since rows remember where they came from."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        """Read public rows from the replica inside a view that may, all else where it is written."""
        return ALIAS if _reading.get() and model._meta.app_label in _PUBLIC else DEFAULT_DB_ALIAS

    def db_for_write(self, _model: type[Model], **_hints: Any) -> str:
        """Write to the one database."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, _one: Model, _other: Model, **_hints: Any) -> bool:
        """Let rows name each other: they are the same rows."""
        return True

    def allow_migrate(self, db: str, _app_label: str, **_hints: Any) -> bool:
        """Migrate the one database."""
        return db != ALIAS


def may_be_old(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer a GET of who is not logged in from the replica, and say as of when: in a header, and to the template."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        as_of = _as_of() if request.method == "GET" and settings.SESSION_COOKIE_NAME not in request.COOKIES else None
        if as_of is None:
            return view(request, *args, **kwargs)
        request.as_of = as_of  # type: ignore[attr-defined]
        token = _reading.set(True)
        try:
            response = view(request, *args, **kwargs)
        except (OperationalError, InterfaceError):
            logger.warning("The replica went away; the answer comes from the database itself.", exc_info=True)
            request.as_of = None  # type: ignore[attr-defined]
            _note(None)
            _reading.set(False)
            return view(request, *args, **kwargs)
        finally:
            _reading.reset(token)
        response.headers[HEADER] = as_of.astimezone(UTC).isoformat(timespec="seconds")
        return response

    return answer


def look_anew() -> None:
    """Forget how old the replica was: for tests."""
    global _seen  # noqa: PLW0603
    _seen = (0.0, None)


def _as_of() -> datetime | None:
    """Return the instant that the replica shows, None where it is not to be asked; it is looked at once a second."""
    if ALIAS not in connections.databases:
        return None
    with _looking:
        at, as_of = _seen
        if at and monotonic() - at < LOOKED_AGAIN_AFTER:
            return as_of
        return _note(_measured())


def _measured() -> datetime | None:
    try:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(_AS_OF)
            as_of, now = cursor.fetchone()
    except (OperationalError, InterfaceError):
        logger.warning("The replica does not answer; the database itself is asked.")
        return None
    return as_of if as_of is not None and now - as_of <= MOST_LAG else None


def _note(as_of: datetime | None) -> datetime | None:
    global _seen  # noqa: PLW0603
    _seen = (monotonic(), as_of)
    return as_of
