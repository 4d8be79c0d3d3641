"""Statements of the path of a bet, which the server parses and plans once a connection and not once a bet.

Django writes the parameters into each statement's text, so that to PostgreSQL every one is new: for a lock or a row
that is most of its cost (docs/performance.md). Here the text stays the same and the parameters go beside it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus


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


def rows_of(statement: str, told: Any) -> Iterator[Sequence[Any]]:
    """Execute a prepared statement, and return its rows for who asks for them when `sent_together` is over."""
    cursor = prepared_cursor()
    cursor.execute(statement, told)
    return _rows(cursor)


def _rows(cursor: CursorWrapper) -> Iterator[Sequence[Any]]:
    yield from cursor.fetchall()


class _InOneGo(psycopg.Pipeline):
    """Keeps what is executed to the end of the block; psycopg's own sends every statement, and BEGIN, by itself.

    Each packet wakes the server once more, which costs either side as much as the statement in it.
    """

    def begin(self) -> None:
        """Begin the transaction that psycopg would begin, without waiting for it."""
        if not self._conn.autocommit and self.pgconn.transaction_status == TransactionStatus.IDLE:
            self.pgconn.send_query_params(b"BEGIN", None)
            self.result_queue.append(None)

    def _communicate_gen(self) -> PQGen[None]:
        yield from ()

    def _fetch_gen(self, *, flush: bool) -> PQGen[None]:
        while self.command_queue:
            self.command_queue.popleft()()
        yield from super()._communicate_gen()
        yield from super()._fetch_gen(flush=flush)

    def _exit_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        yield from self._fetch_gen(flush=False)


@contextmanager
def sent_together() -> Iterator[None]:
    """Send the prepared statements of the block in one go: they are executed one by one, and waited for once.

    What one of them reads is fetched after the block (`rows_of`): inside, all until then would be waited for. The first
    that fails ends the block, as it would have ended by itself.
    """
    connection.ensure_connection()
    link = connection.connection
    link._pipeline = pipeline = _InOneGo(link)
    with connection.wrap_database_errors, link.pipeline():
        pipeline.begin()
        yield
