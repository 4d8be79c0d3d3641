"""Columns that are written as arrays come back as they were, whatever stands in them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from totalizator.core.columns import array, unnested

pytestmark = pytest.mark.django_db
AWKWARD = [
    "user:1",
    " d ",
    "'; --",
    "ў",
    "\\\\x41",
    "",
    " ",
    "NULL",
    "null",
    '"',
    "\\",
    '\\"',
    "a,b",
    "{",
    "}",
    "{}",
    "%s",
    "%(x)s",
    "'",
    "''",
    "\n",
    "№ 7",
    "$1",
]


def came_back(kind: str, values: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT k.one FROM {unnested(one=kind)}", {"one": array(kind, values)})
        return [value for (value,) in cursor.fetchall()]


def test_awkward_texts_come_back() -> None:
    assert came_back("text", AWKWARD) == AWKWARD
    assert came_back("text", [*AWKWARD, None]) == [*AWKWARD, None]


@pytest.mark.parametrize("kind", ["text", "bigint", "bytea", "timestamptz"])
def test_nothing_is_no_rows(kind: str) -> None:
    assert came_back(kind, []) == []


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0")))))
def test_any_texts_come_back(values: list[str | None]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::text[]", [array("text", values)])
        assert cursor.fetchone() == (values,)


def test_numbers_and_instants_come_back() -> None:
    numbers = [0, -1, 2**63 - 1, -(2**63)]
    assert came_back("bigint", numbers) == numbers
    assert came_back("smallint", [3, None]) == [3, None]
    instants = [datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)] * 2
    minsk = timezone(timedelta(hours=3))
    assert came_back("timestamptz", [*instants, instants[0].astimezone(minsk)]) == [instants[0]] * 3


def test_bytes_come_back() -> None:
    values = [b"", bytes(range(256)), b'\\"{},']
    assert [bytes(value) for value in came_back("bytea", values)] == values


def test_another_type_is_refused() -> None:
    with pytest.raises(KeyError):
        array("money", [1])
