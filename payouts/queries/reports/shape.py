"""What every report is made of: a period, filters, columns, rows and totals, and who made it when (N5)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from django.db import connection
from django.utils.functional import Promise

from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

Cell = str | int


class Holds(StrEnum):
    """What the cells of a column are."""

    TEXT = "text"
    COUNT = "count"
    AMOUNT = "amount"  # kopecks


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """One column. Figures are summed into the totals unless `summed` says that their sum means nothing."""

    name: str
    title: str | Promise
    holds: Holds = Holds.TEXT
    summed: bool = True


def count(name: str, title: str | Promise) -> ReportColumn:
    """Return a column of numbers of something."""
    return ReportColumn(name, title, Holds.COUNT)


def amount(name: str, title: str | Promise, *, summed: bool = True) -> ReportColumn:
    """Return a column of kopecks."""
    return ReportColumn(name, title, Holds.AMOUNT, summed)


@dataclass(frozen=True, slots=True)
class Asked:
    """The legal days from `first` to `last`, both included, and what the rows are limited to, by the filter's name."""

    first: date
    last: date
    filters: Mapping[str, str] = field(default_factory=dict)

    @property
    def since(self) -> datetime:
        """The first instant of the period."""
        return start_of_legal_day(self.first)

    @property
    def until(self) -> datetime:
        """The first instant after it."""
        return end_of_legal_day(self.last)

    def parameters(self) -> dict[str, Any]:
        """Return what a query of a report is given."""
        return {"since": self.since, "until": self.until}


@dataclass(frozen=True, slots=True)
class ReportKind:
    """A report that can be asked for: its rows have a cell for each column, in their order."""

    name: str
    title: str | Promise
    columns: Sequence[ReportColumn]
    find: Callable[[Asked], Sequence[Sequence[Cell]]]
    filters: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report as it was made: all that its documents show."""

    kind: ReportKind
    asked: Asked
    rows: Sequence[Sequence[Cell]]
    generated_at: datetime
    version: str
    release: str

    @property
    def totals(self) -> Mapping[str, int]:
        """The sum of each column of figures whose sum means something."""
        return {
            column.name: sum(cell for row in self.rows if isinstance(cell := row[place], int))
            for place, column in enumerate(self.kind.columns)
            if column.holds != Holds.TEXT and column.summed
        }

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column."""
        place = [column.name for column in self.kind.columns].index(name)
        return [row[place] for row in self.rows]


def rows_of(query: str, parameters: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    """Run a query whose columns are the report's."""
    with connection.cursor() as cursor:
        cursor.execute(query, dict(parameters))
        return list(cursor.fetchall())
