"""Reading many rows as text, in constant memory: PostgreSQL's COPY."""

from collections.abc import Generator, Iterator, Mapping, Sequence

from django.db import connection
from psycopg import errors
from psycopg.abc import PQGen
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait

Parameters = Sequence[object] | Mapping[str, object]

ROWS_TOGETHER = 1024
"""Rows that are taken from the driver at once: one by one, as its own cursor hands them out, costs twice as much."""


def copy_out(statement: str, parameters: Parameters) -> Generator[bytes, None, None]:
    """Yield the rows of a `COPY (…) TO STDOUT`, each as the server sends it, newline included."""
    for rows in _rows_together(statement, parameters):
        yield from rows


def copy_blocks(statement: str, parameters: Parameters) -> Iterator[bytes]:
    """Yield the same rows, thousands of them joined."""
    for rows in _rows_together(statement, parameters):
        yield b"".join(rows)


def _rows_together(statement: str, parameters: Parameters) -> Iterator[list[bytes]]:
    """Yield lists of rows, none of them empty.

    Django's debugging cursor has a `copy` without parameters, so the driver's own cursor is asked; who goes away
    before the last row leaves the driver to cancel the statement.
    """
    with connection.cursor() as cursor, cursor.cursor.copy(statement, parameters) as copied:
        driver, more = copied.connection, True
        while more:
            rows: list[bytes] = []
            more = driver.wait(_take(driver.pgconn, rows))
            if rows:
                yield rows


def _take(server: PGconn, rows: list[bytes]) -> PQGen[bool]:
    """Take as many rows as are wanted together; return whether there may be more. What is yielded is waited for."""
    while len(rows) < ROWS_TOGETHER:
        size, row = server.get_copy_data(1)
        if size > 0:
            rows.append(bytes(row))
        elif size == 0:
            while not (yield Wait.R):
                pass
            server.consume_input()
        else:
            result = server.get_result()
            while server.get_result() is not None:
                pass
            if result is None or result.status != ExecStatus.COMMAND_OK:
                raise errors.error_from_result(result) if result is not None else errors.OperationalError("no result")
            return False
    return True
