"""Dated legal numbers: which value the law gives a name on a given day (A4, D-17)."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache

from totalizator.core.models import LegalNumber, NonWorkingDay
from totalizator.engine.deadlines import legal_day


class UnknownLegalNumber(LookupError):
    """No value of this name holds on this day: a set-up fault, never a user's."""


def legal_number(name: str, on: date) -> Fraction:
    """Return the value of `name` that holds on the legal day `on`, exactly.

    :raises UnknownLegalNumber: when no value has come into force by then.
    """
    row = LegalNumber.objects.filter(name=name, valid_from__lte=on).order_by("-valid_from", "-pk").first()
    if row is None:
        raise UnknownLegalNumber(f"{name} has no value on {on.isoformat()}")
    return Fraction(row.value)


def legal_number_by_day(name: str, days: Collection[date]) -> Mapping[date, Fraction]:
    """Return the value of `name` that holds on each of these legal days, all in one question.

    :raises UnknownLegalNumber: when none has come into force by one of them.
    """
    rows = LegalNumber.objects.filter(name=name).order_by("valid_from", "pk").values_list("valid_from", "value")
    values = list(rows) if days else []
    held = {day: [value for valid_from, value in values if valid_from <= day] for day in days}
    for day, until_then in held.items():
        if not until_then:
            raise UnknownLegalNumber(f"{name} has no value on {day.isoformat()}")
    return {day: Fraction(until_then[-1]) for day, until_then in held.items()}


def legal_numbers(at: datetime) -> Mapping[str, Fraction]:
    """Return every number that holds on the legal day of `at`.

    Kept in the process for ten seconds, so that not every bet asks: a number is entered before the day it holds
    from, never for the moment.
    """
    return _numbers_of(legal_day(at), int(at.timestamp()) // 10)


@lru_cache(maxsize=4)
def _numbers_of(on: date, _ten_seconds: int) -> Mapping[str, Fraction]:
    rows = LegalNumber.objects.filter(valid_from__lte=on).order_by("valid_from", "pk").values_list("name", "value")
    return {name: Fraction(value) for name, value in rows}


def first_value(name: str) -> Fraction | None:
    """Return the value that a number began with; None for a name that no number has."""
    row = LegalNumber.objects.filter(name=name).order_by("valid_from", "pk").first()
    return None if row is None else Fraction(row.value)


def whole_number_sql(name: str, day: str) -> str:
    """Return SQL for the whole number that holds on each legal day: `name` and `day` are words of our own code."""
    return (
        f"(SELECT n.value::bigint FROM core_legalnumber n WHERE n.name = '{name}' AND n.valid_from <= {day}"
        " ORDER BY n.valid_from DESC, n.id DESC LIMIT 1)"
    )


def forget_legal_numbers() -> None:
    """Read the numbers anew at the next call: for who has just changed one, in this process."""
    _numbers_of.cache_clear()


def non_working_days(first: date, last: date) -> Collection[date]:
    """Return the non-working days of Belarus from `first` to `last`, both included."""
    return frozenset(NonWorkingDay.objects.filter(day__range=(first, last)).values_list("day", flat=True))
