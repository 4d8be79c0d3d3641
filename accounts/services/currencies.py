"""Rates of the day: read from a file, and applied to what a payment system takes (¶35.4).

A file has lines of `date;currency;units;rate`: from the legal day on, so many units cost so many BYN. What stands is
never changed; the same line again changes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from django.utils.translation import gettext_lazy as _

from accounts.models import Currency, CurrencyRate
from totalizator.core import clock
from totalizator.core.csv_text import csv_rows
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_numbers, non_working_days
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day

HEADER = ["date", "currency", "units", "rate"]
_RATE = re.compile(r"\d{1,9}(?:\.\d{1,8})?", re.ASCII)
_UNITS = re.compile(r"1|10|100|1000")


@dataclass(frozen=True, slots=True)
class FaultyRate:
    """A line of the file that was not taken, by its number from 1, and why."""

    number: int
    fault: DomainError


@dataclass(frozen=True, slots=True)
class ReadRates:
    """How many rates are new, and which lines were not taken."""

    new: int
    faults: tuple[FaultyRate, ...]


@dataclass(frozen=True, slots=True)
class Converted:
    """Kopecks for an amount in another currency, and the rate; BYN needs none."""

    kopecks: int
    rate: CurrencyRate | None


def import_rates(*, text: str, source: str, actor: str, accept_jumps: bool = False) -> ReadRates:
    """Read the rates of a file; a faulty line does not keep the others out.

    A rate that differs from the last one by more than the legal number `currency_rate_jump` is a slip of the pen,
    unless `accept_jumps` says that somebody has looked at it.

    :raises DomainError: BAD_VALUE for another header; nothing was read.
    """
    rows = csv_rows(text)
    if [cell.strip() for cell in next(rows, (0, []))[1]] != HEADER:
        raise DomainError(
            Refusal.BAD_VALUE, _("The first line must be %(header)s.") % {"header": ";".join(HEADER)}, field="file"
        )
    new, faults = 0, []
    with one_transaction():
        at = clock.now()
        for number, row in rows:
            if not any(cell.strip() for cell in row):
                continue
            try:
                new += _take(_read_line(row), source, actor, at, accept_jumps=accept_jumps)
            except DomainError as fault:
                faults.append(FaultyRate(number, fault))
        write_journal(
            at=at, actor=actor, act="import_rates", subject="rates", after={"new": new, "faults": len(faults)}
        )
    return ReadRates(new, tuple(faults))


def convert(*, amount: int, currency: Currency, at: datetime) -> Converted:
    """Return what `amount` minor units of the currency are worth at the instant `at`, rounded down to the kopeck.

    :raises DomainError: RATE_STALE when the last rate is older than the legal number `currency_rate_days` allows.
    """
    if currency == Currency.BYN:
        return Converted(amount, None)
    today = legal_day(at)
    rate = CurrencyRate.objects.filter(currency=currency, valid_on__lte=today).order_by("-valid_on").first()
    if rate is None or _working_days_since(rate.valid_on, today) > legal_numbers(at)["currency_rate_days"]:
        raise DomainError(
            Refusal.RATE_STALE,
            _("There is no rate of %(currency)s for today.") % {"currency": currency},
            field="currency",
            last=rate.valid_on if rate is not None else None,
        )
    return Converted(amount * rate.per_unit // 1, rate)


def _working_days_since(valid_on: date, today: date) -> int:
    """Count the working days after the one and up to the other: over a weekend no rate is set, and none ages."""
    free = non_working_days(valid_on, today)
    days = (valid_on + timedelta(days=n) for n in range(1, (today - valid_on).days + 1))
    return sum(day not in free for day in days)


def _read_line(row: Sequence[str]) -> Mapping[str, object]:
    cells = [cell.strip() for cell in row]
    if len(cells) != len(HEADER):
        raise _bad("file", _("A line has four fields."))
    day, currency, units, rate = cells
    rate = rate.replace(",", ".")
    if currency not in Currency or currency == Currency.BYN:
        raise _bad("currency", _("Only RUB, USD and EUR have a rate."))
    if not _UNITS.fullmatch(units):
        raise _bad("units", _("A rate is for 1, 10, 100 or 1000 units."))
    if not _RATE.fullmatch(rate) or not Fraction(rate):
        raise _bad("rate", _("Write a rate above zero, such as 3.5912."))
    try:
        valid_on = date.fromisoformat(day)
    except ValueError as fault:
        raise _bad("date", _("Write a date as 2026-12-31.")) from fault
    return {"currency": currency, "valid_on": valid_on, "units": int(units), "rate": rate}


def _take(line: Mapping[str, object], source: str, actor: str, at: datetime, *, accept_jumps: bool) -> bool:
    """Record a rate that is new; return False for one that stands already."""
    read = CurrencyRate(**line, source=source, imported_at=at, imported_by=actor)
    standing = CurrencyRate.objects.filter(currency=read.currency, valid_on=read.valid_on).first()
    if standing is not None:
        if standing.per_unit == read.per_unit:
            return False
        raise _bad("rate", _("Another rate of that day is known already: %(rate)s.") % {"rate": standing})
    before = (
        CurrencyRate.objects.filter(currency=read.currency, valid_on__lt=read.valid_on).order_by("-valid_on").first()
    )
    if before is not None and not accept_jumps:
        most = legal_numbers(at)["currency_rate_jump"]
        if abs(read.per_unit - before.per_unit) > before.per_unit * most:
            raise _bad("rate", _("The rate before was %(rate)s: is this one right?") % {"rate": before})
    read.save(force_insert=True)
    return True


def _bad(field: str, message: object) -> DomainError:
    return DomainError(Refusal.BAD_VALUE, str(message), field=field)
