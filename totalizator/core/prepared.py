"""Statements of the path of a bet, which the server parses and plans once a connection and not once a bet.

Django writes the parameters into each statement's text, so that to PostgreSQL every one is new: for a lock or a row
that is most of its cost (docs/performance.md). Here the text stays the same and the parameters go beside it.
"""

from django.conf import settings
from django.db import connection
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorWrapper
from psycopg.abc import Params, Query


class _PreparedCursor(ServerBindingCursor):
    def execute(self, query: Query, params: Params | None = None) -> "_PreparedCursor":  # type: ignore[override]
        return super().execute(query, params, prepare=settings.PREPARED_STATEMENTS)


def prepared_cursor() -> CursorWrapper:
    """Return a cursor, as `connection.cursor()` does, whose statements stay prepared for as long as the connection.

    For a few texts that are executed by the thousand: each takes a place in the server's memory.
    """
    connection.ensure_connection()
    cursor: CursorWrapper = connection._prepare_cursor(_PreparedCursor(connection.connection))
    return cursor
