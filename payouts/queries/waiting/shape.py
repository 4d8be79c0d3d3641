"""What every source of waiting things answers: how many, since when, until when, and each of them in a line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import CharField, Count, DateTimeField, F, Min, Value
from django.db.models.functions import Cast
from django.db.models.query import QuerySet

_NEVER = Cast(Value(None), DateTimeField())


@dataclass(frozen=True, slots=True)
class Line:
    """One waiting thing in words; `since`: when it began to wait, `due`: when it is late."""

    about: str
    since: datetime | None = None
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many things wait, since when the oldest, and when the first of them is or was due."""

    count: int
    oldest: datetime | None = None
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that wait, each told by `tell`; `since` and `due` name the fields that say since when, and until when."""

    rows: QuerySet[Any, Any]
    since: str
    tell: Callable[[Any], str]
    due: str = ""

    def lines(self, most: int) -> list[Line]:
        """Return the oldest of them in words."""
        oldest = self.rows.annotate(waits_since=F(self.since)).order_by("waits_since")[:most]
        return [Line(self.tell(row), row.waits_since, getattr(row, self.due, None)) for row in oldest]


def count_rows(asked: Mapping[str, Rows]) -> Mapping[str, Waiting]:
    """Count the rows of many sources in one question to the database; a source where nothing waits is left out."""
    counted = [
        source.rows.order_by()
        .annotate(waits_in=Value(name, CharField()))
        .values("waits_in")
        .annotate(number=Count("*"), oldest=Min(source.since), first_due=Min(source.due) if source.due else _NEVER)
        .values_list("waits_in", "number", "oldest", "first_due")
        for name, source in asked.items()
    ]
    first, *others = counted
    return {name: Waiting(number, oldest, due) for name, number, oldest, due in first.union(*others, all=True)}


def summed(lines: Sequence[Line]) -> Waiting:
    """Sum lines up."""
    return Waiting(
        len(lines),
        min((line.since for line in lines if line.since is not None), default=None),
        min((line.due for line in lines if line.due is not None), default=None),
    )
