"""Arrays that are written as text are read by PostgreSQL as what they were made of."""

import pytest
from django.db import connection

from totalizator.core.arrays import byte_strings, numbers, texts

pytestmark = pytest.mark.django_db


def read(array: str, kind: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT %s::{kind}[]", [array])
        return cursor.fetchone()[0]


@pytest.mark.parametrize("values", [[], [0], [1, None, -7], [None], [2**62, 3]])
def test_numbers(values: list[int | None]) -> None:
    assert read(numbers(values), "bigint") == values


def test_texts_whatever_stands_in_them() -> None:
    values = ["", "user:1", "NULL", 'a"b', "a\\b", "a,b", "{c}", " d ", "'; --", "\n\t", "ў", '\\"', "\\\\x41", "%s"]
    assert read(texts(values), "text") == values
    assert read(texts([]), "text") == []


def test_bytes() -> None:
    values = [b"", bytes(range(256)), b'\\"{},']
    assert read(byte_strings(values), "bytea") == values
