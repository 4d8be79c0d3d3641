"""A refusal is only a refusal when nothing has changed."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import connection

from totalizator.core.errors import DomainError


def every_row() -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table of the project, so that any change shows."""
    kept = {}
    with connection.cursor() as cursor:
        for label in ("core", "accounts", "pools", "payouts"):
            for model in apps.get_app_config(label).get_models():
                cursor.execute(f"SELECT t::text FROM {model._meta.db_table} t ORDER BY 1")
                kept[model._meta.db_table] = cursor.fetchall()
    return kept


def refused(act: Callable[[], object]) -> DomainError:
    """Do an act that must be refused, check that not one row of any table differs, and return the refusal."""
    before = every_row()
    with pytest.raises(DomainError) as caught:
        act()
    assert every_row() == before
    return caught.value
