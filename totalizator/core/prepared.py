"""Statements of the path of a bet, which the server parses and plans once a connection and not once a bet.

Django writes the parameters into each statement's text, so that to PostgreSQL every one is new: for a lock or a row
that is most of its cost (docs/performance.md). Here the text stays the same and the parameters go beside it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorWrapper


class _PreparedCursor(psycopg.Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **_told: Any) -> Self:
        return super().execute(query, params, prepare=settings.PREPARED_STATEMENTS)


def prepared_cursor() -> CursorWrapper:
    """Return a cursor, as `connection.cursor()` does, whose statements stay prepared for as long as the connection.

    For a few texts that are executed by the thousand: each takes a place in the server's memory.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    cursor: Any = _PreparedCursor(connection.connection)
    return connection.make_debug_cursor(cursor) if connection.queries_logged else connection.make_cursor(cursor)


@contextmanager
def sent_together() -> Iterator[None]:
    """Send the prepared statements of the block in one go: they are executed one by one, and waited for once.

    What one of them reads is there for whoever fetches it, inside the block or after it. The first that fails ends the
    block, as it would have ended by itself.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield
