"""Database columns that Django has no field for."""

from typing import Any

from django.db import models


class BitVaryingField(models.Field):  # type: ignore[type-arg]
    """A string of bits, `'0'` and `'1'`, of any length: `bit varying` (a mask of marked outcomes)."""

    def db_type(self, connection: Any) -> str:  # noqa: ARG002
        return "varbit"

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:  # noqa: ARG002
        return "%s::varbit"
