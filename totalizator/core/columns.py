"""Columns of values as PostgreSQL's arrays, for statements that take one row or a thousand by `unnest`.

psycopg writes a list element by element, each by the rules for its own type: of a thousand payments that was a third of
the program's time, and of one bet more than its rules cost. A column has one type, so that it is written by two joins;
and a statement stays the same one for small numbers and large ones, which the server else keeps prepared twice.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

_SPECIAL = ('"', "\\")


def array(kind: str, values: Sequence[Any]) -> str:
    """Return the values as the text of an array; `kind` is their SQL type, None is NULL.

    :raises KeyError: for a type that is not written here.
    """
    return "{" + _WRITERS[kind](values) + "}"


def unnested(**columns: str) -> str:
    """Return the SQL of rows whose columns, by name and type, are filled by `array`."""
    parts = ", ".join(f"%({name})s::{kind}[]" for name, kind in columns.items())
    return f"unnest({parts}) AS k ({', '.join(columns)})"


def _numbers(values: Sequence[int | None]) -> str:
    if None in values:
        return ",".join("NULL" if value is None else str(value) for value in values)
    return ",".join(map(str, values))


def _texts(values: Sequence[str | None]) -> str:
    if None in values:
        return ",".join("NULL" if value is None else f'"{_escaped(value)}"' for value in values)
    plain = "".join(values)  # type: ignore[arg-type]  # no None among them
    if any(special in plain for special in _SPECIAL):
        values = [_escaped(value) for value in values if value is not None]
    return '"' + '","'.join(values) + '"' if values else ""  # type: ignore[arg-type]  # as above


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _byte_strings(values: Sequence[bytes | memoryview]) -> str:
    return ",".join(['"\\\\x' + value.hex() + '"' for value in values])


def _instants(values: Sequence[datetime]) -> str:
    texts = {instant: f'"{instant.isoformat()}"' for instant in set(values)}
    return ",".join(map(texts.__getitem__, values))


_WRITERS: Mapping[str, Callable[[Sequence[Any]], str]] = {
    "bigint": _numbers,
    "bytea": _byte_strings,
    "smallint": _numbers,
    "text": _texts,
    "timestamptz": _instants,
}
