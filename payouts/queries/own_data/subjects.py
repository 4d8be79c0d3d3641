"""What a subject of the own data is, and how rows are written: amounts as text, instants in UTC."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Model, QuerySet
from django.utils.functional import Promise

from accounts.models import GameAccount, Person, User
from totalizator.core.money import plain_byn
from totalizator.engine.instants import instant_text

Row = dict[str, Any]
KOPECKS = frozenset({"amount", "stake", "gross", "tax", "net", "rounded", "held__amount"})


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose data it is, and as of when."""

    player: User
    person: Person
    account: GameAccount
    at: datetime


@dataclass(frozen=True, slots=True)
class Subject:
    """One file: its name, what it tells in words, the tables it reads, and how."""

    name: str
    about: str | Promise
    tables: Collection[type[Model]]
    read: Callable[[Owner], list[Row]]


def rows_of(rows: QuerySet[Any], *columns: str) -> list[Row]:
    """Return these columns of every row, in the order of the rows; a column of another table drops its prefix."""
    return [_row(row) for row in rows.values(*columns)]


def written(value: object) -> object:
    """Write a value as JSON has it."""
    if isinstance(value, datetime):
        return instant_text(value)
    return value.isoformat() if isinstance(value, date) else value


def _row(row: Row) -> Row:
    return {
        name.replace("__", "_"): plain_byn(value) if name in KOPECKS and value is not None else written(value)
        for name, value in row.items()
    }
