"""Emptying the test database after a test with threads, quickly: only what holds rows, and the calendar stays.

Django truncates every table and makes all content types anew, which takes longer than most tests.
"""

from collections.abc import Sequence
from functools import cache
from graphlib import TopologicalSorter

from django.db import connection, transaction
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.models.signals import post_migrate

CALENDAR = ("core_legalnumber", "core_nonworkingday")
_STAY = ("django_migrations", "django_content_type", "auth_permission", "django_site")
_FEW = 2_000
"""Rows; a table that holds more is emptied faster by TRUNCATE, with all others."""

_empty_all = DatabaseOperations.execute_sql_flush


def keep_calendar() -> None:
    """Remember the calendar as it is now; content types are there, and need no making after each test."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA IF NOT EXISTS kept")
        for table in CALENDAR:
            cursor.execute(f"DROP TABLE IF EXISTS kept.{table}")
            cursor.execute(f"CREATE TABLE kept.{table} AS TABLE {table}")
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(dispatch_uid="django.contrib.contenttypes.management.create_contenttypes")


def empty(operations: DatabaseOperations, statements: Sequence[str]) -> None:
    """Delete every row but the calendar's, of append-only tables too, as their owner."""
    with operations.connection.cursor() as cursor, transaction.atomic(using=operations.connection.alias):
        cursor.execute(_counts())
        filled = [(table, rows) for table, rows in cursor.fetchall() if rows]
        if any(rows > _FEW for table, rows in filled if table not in CALENDAR):
            _truncate(operations, statements)
        else:
            tables = _children_first([table for table, _rows in filled])
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
                cursor.execute(f"DELETE FROM {table}")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        for table in CALENDAR:
            cursor.execute(f"INSERT INTO {table} SELECT * FROM kept.{table}")


def _children_first(tables: Sequence[str]) -> list[str]:
    """Return the tables in an order in which no foreign key that cannot wait for the end is broken."""
    sorter = TopologicalSorter({table: _children().get(table, set()) & set(tables) - {table} for table in tables})
    return list(sorter.static_order())


@cache
def _children() -> dict[str, set[str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT confrelid::regclass::text, conrelid::regclass::text FROM pg_constraint"
            " WHERE contype = 'f' AND NOT condeferrable"
        )
        children: dict[str, set[str]] = {}
        for parent, child in cursor.fetchall():
            children.setdefault(parent, set()).add(child)
    return children


def _truncate(operations: DatabaseOperations, statements: Sequence[str]) -> None:
    with operations.connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'append_only_table'")
        guarded = [name for (name,) in cursor.fetchall()]
        for table in guarded:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER append_only_table")
        _empty_all(operations, [_but_what_stays(statement) for statement in statements])
        for table in guarded:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER append_only_table")


def _but_what_stays(statement: str) -> str:
    for table in _STAY:
        statement = statement.replace(f'"{table}", ', "").replace(f', "{table}"', "")
    return statement


@cache
def _counts() -> str:
    """SQL for each table's name and how many rows it holds, counted no further than needed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            " AND relname <> ALL(%s)",
            [list(_STAY)],
        )
        tables = [name for (name,) in cursor.fetchall()]
    return " UNION ALL ".join(
        f"SELECT '{table}', (SELECT count(*) FROM (SELECT FROM {table} LIMIT {_FEW + 1}) AS t)" for table in tables
    )
