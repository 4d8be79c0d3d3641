"""What every test with a database finds: the legal calendar, and a database that can be emptied after threads."""

import os
from collections.abc import Sequence

import pytest
from django.db import transaction
from django.db.backends.postgresql.operations import DatabaseOperations
from hypothesis import settings

# A busy machine is no failure, and a run leaves nothing behind that would change the next one.
settings.register_profile("house", deadline=None, database=None)
# What decides about a change tries the same examples each time; whoever works on one tries new ones.
settings.register_profile("ci", settings.get_profile("house"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")

_empty_tables = DatabaseOperations.execute_sql_flush


def _empty_even_evidence(self: DatabaseOperations, sql_list: Sequence[str]) -> None:
    """Let the test runner alone truncate append-only tables, as their owner."""
    with self.connection.cursor() as cursor, transaction.atomic(using=self.connection.alias):
        cursor.execute("SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'append_only_table'")
        tables = [name for (name,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER append_only_table")
        _empty_tables(self, sql_list)
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER append_only_table")


DatabaseOperations.execute_sql_flush = _empty_even_evidence  # type: ignore[method-assign,assignment]


@pytest.fixture(autouse=True)
def _legal_calendar(request: pytest.FixtureRequest) -> None:
    """Enter the legal numbers and non-working days wherever a test has a database."""
    marker = request.node.get_closest_marker("django_db")
    if marker is None and not {"db", "transactional_db"} & set(request.fixturenames):
        return
    threads = "transactional_db" in request.fixturenames or bool(marker and marker.kwargs.get("transaction"))
    request.getfixturevalue("transactional_db" if threads else "db")
    from pools.queries.announced import forget_pools
    from pools.queries.printed_heads import forget_printed_heads
    from totalizator.core.legal import forget_legal_numbers
    from totalizator.core.legal_calendar import load_legal_numbers, load_non_working_days
    from totalizator.core.models import LegalNumber

    forget_pools()
    forget_printed_heads()
    forget_legal_numbers()
    if not LegalNumber.objects.exists():
        load_legal_numbers()
        load_non_working_days(2024, 2029)
