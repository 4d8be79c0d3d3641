"""Database columns that Django has no field for."""

from collections.abc import Iterable
from typing import Any

from django.db import models
from psycopg.types.multirange import Int8Multirange
from psycopg.types.range import Range


class BitVaryingField(models.Field):  # type: ignore[type-arg]
    """A string of bits, `'0'` and `'1'`, of any length: `bit varying` (a mask of marked outcomes)."""

    def db_type(self, connection: Any) -> str:  # noqa: ARG002
        return "varbit"

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:  # noqa: ARG002
        return "%s::varbit"


IdRanges = Any
"""An `Int8Multirange`, which the stubs of Django's cursors do not know as a parameter."""


def id_ranges(ranges: Iterable[Range[int]] = ()) -> IdRanges:
    """Return ranges as the database keeps them: merged where they touch."""
    return Int8Multirange(ranges)


class IdRangesField(models.Field):  # type: ignore[type-arg]
    """Ids in ranges, as few as there are gaps: `int8multirange`."""

    def db_type(self, connection: Any) -> str:  # noqa: ARG002
        return "int8multirange"

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else id_ranges(value)
