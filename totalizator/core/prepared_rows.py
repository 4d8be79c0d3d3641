"""Rows that requests read by one key: the statement is made once a process and prepared once a connection.

Django makes the text of a statement anew for each row, and PostgreSQL parses and plans it anew. Of a session or a
person, which every request asks for, that is nearly all of the cost (docs/performance.md).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.query import get_related_populators

from totalizator.core.prepared import prepared_cursor

M = TypeVar("M", bound=Model)


class PreparedRow(Generic[M]):
    """`PreparedRow(lambda: User.objects.select_related("person"), by="pk").read(7)` is `….filter(pk=7).first()`.

    It is read where it is written, never from a replica. What else the queryset asks for is the same each time.
    """

    def __init__(self, rows: Callable[[], QuerySet[M]], *, by: str) -> None:
        """Take the rows as a function: they are asked for when all models are there."""
        self._rows, self._by = rows, by

    def read(self, key: str | int | bytes | None) -> M | None:
        """Return the row whose `by` is the key, with all that is joined to it; None where there is none."""
        text, read = self._made
        with prepared_cursor() as cursor:
            cursor.execute(text, [key])
            row = cursor.fetchone()
        return None if row is None else read(row)

    @cached_property
    def _made(self) -> tuple[str, Callable[[Sequence[Any]], M]]:
        """The text, with one place for the key, and what makes a model of a row: as Django's own `ModelIterable`."""
        query = self._rows().filter(**{self._by: RawSQL("%s", [])}).query
        compiler: Any = query.get_compiler(using=DEFAULT_DB_ALIAS)
        text, parameters = compiler.as_sql()
        if parameters:
            raise ValueError("These rows are asked for with values of their own: the key is to be the only one.")
        told = compiler.klass_info
        first, last = told["select_fields"][0], told["select_fields"][-1] + 1
        names = [column.target.attname for column, *_ in compiler.select[first:last]]
        joined = get_related_populators(told, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]  # the stubs are of Django 6
        converters = compiler.get_converters([column for column, *_ in compiler.select])

        def read(row: Sequence[Any]) -> M:
            if converters:
                (row,) = compiler.apply_converters([row], converters)
            found: M = told["model"].from_db(DEFAULT_DB_ALIAS, names, row[first:last])
            for other in joined:
                other.populate(row, found)
            return found

        return text, read
