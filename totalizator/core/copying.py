"""Reading many rows as text, in constant memory: PostgreSQL's COPY."""

from collections.abc import Iterator, Mapping, Sequence

from django.db import connection


def copy_out(statement: str, parameters: Sequence[object] | Mapping[str, object]) -> Iterator[bytes]:
    """Yield the rows of a `COPY (…) TO STDOUT`, each as the server sends it, newline included.

    Django's debugging cursor has a `copy` without parameters, so the driver's own cursor is asked.
    """
    with connection.cursor() as cursor, cursor.cursor.copy(statement, parameters) as rows:
        yield from map(bytes, rows)
