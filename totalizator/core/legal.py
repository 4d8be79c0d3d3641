"""Dated legal numbers: which value the law gives a name on a given day (A4, D-17)."""

from collections.abc import Collection, Mapping
from datetime import date
from fractions import Fraction

from totalizator.core.models import LegalNumber, NonWorkingDay


class UnknownLegalNumber(LookupError):
    """No value of this name holds on this day: a set-up fault, never a user's."""


def legal_number(name: str, on: date) -> Fraction:
    """Return the value of `name` that holds on the legal day `on`, exactly.

    :raises UnknownLegalNumber: when no value has come into force by then.
    """
    row = LegalNumber.objects.filter(name=name, valid_from__lte=on).order_by("-valid_from").first()
    if row is None:
        raise UnknownLegalNumber(f"{name} has no value on {on.isoformat()}")
    return Fraction(row.value)


def legal_numbers(on: date) -> Mapping[str, Fraction]:
    """Return every number that holds on the legal day `on`, read in one query."""
    rows = LegalNumber.objects.filter(valid_from__lte=on).order_by("valid_from").values_list("name", "value")
    return {name: Fraction(value) for name, value in rows}


def non_working_days(first: date, last: date) -> Collection[date]:
    """Return the non-working days of Belarus from `first` to `last`, both included."""
    return frozenset(NonWorkingDay.objects.filter(day__range=(first, last)).values_list("day", flat=True))
