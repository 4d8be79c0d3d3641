"""What every test with a database finds: the legal calendar, and a database that can be emptied after threads."""

import os

import pytest
from django.db.backends.postgresql.operations import DatabaseOperations
from hypothesis import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.emptying import empty, keep_calendar

# A busy machine is no failure, and a run leaves nothing behind that would change the next one.
settings.register_profile("house", deadline=None, database=None)
# What decides about a change tries the same examples each time; whoever works on one tries new ones.
settings.register_profile("ci", settings.get_profile("house"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")

DatabaseOperations.execute_sql_flush = empty  # type: ignore[method-assign,assignment]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Enter the legal numbers and non-working days once: every test with a database finds them."""
    from tests.daytime import go_by_day
    from totalizator.core.legal_calendar import load_legal_numbers, load_non_working_days
    from totalizator.core.models import LegalNumber

    with django_db_blocker.unblock():
        if not LegalNumber.objects.exists():
            load_legal_numbers()
            load_non_working_days(2024, 2029)
        keep_calendar()
        go_by_day()


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """Let no test find what the process kept of another one's rows."""
    from django.core.cache import caches

    from pools.queries.announced import forget_pools
    from pools.queries.printed_heads import forget_printed_heads
    from totalizator.core.legal import forget_legal_numbers

    caches["process"].clear()
    forget_pools()
    forget_printed_heads()
    forget_legal_numbers()
