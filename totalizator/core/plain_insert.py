"""Inserting one row by one plain statement: what `create()` does, without composing the statement anew each time."""

from functools import lru_cache

from django.db import connection, models

from totalizator.core.prepared import prepared_cursor


def insert_plainly(row: models.Model) -> None:
    """Insert `row` as it is, every column given; no default, signal or check of Django's takes part.

    For append-only rows that are written by the thousand a minute. The database's constraints hold as ever.
    """
    statement, columns = _statement(type(row))
    with prepared_cursor() as cursor:
        cursor.execute(statement, [getattr(row, column) for column in columns])
    row._state.adding, row._state.db = False, connection.alias


@lru_cache(maxsize=32)
def _statement(model: type[models.Model]) -> tuple[str, tuple[str, ...]]:
    fields = model._meta.local_concrete_fields
    places = [
        field.get_placeholder(None, None, connection) if hasattr(field, "get_placeholder") else "%s" for field in fields
    ]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    return (
        f"INSERT INTO {table} ({names}) VALUES ({', '.join(places)})",
        tuple(field.attname for field in fields),
    )
