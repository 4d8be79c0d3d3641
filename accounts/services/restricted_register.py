"""Reading the register of restricted persons (P2). Of each it keeps the digest of the identity number and the last day.

A file is the whole register as it stood at an instant: lines of `identity_number;until`, the date empty where none is
set. Whoever is named is barred at once, also from a file with faulty lines; but only a file without a fault makes the
register fresh, and lets go of whom it no longer names. Nobody with a set date is let go before it. A file that lacks
much of what was read before is one cut short, unless two people say it is not (`register_shrinkage.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.models import RegisterImport, RestrictedPerson
from accounts.services.identity_numbers import number_digest
from accounts.services.register_shrinkage import file_digest, refuse_shrunken
from totalizator.core import clock
from totalizator.core.csv_text import csv_rows
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

HEADER = ["identity_number", "until"]

# Restrictions are only ever prolonged; an open end, where the register has one, holds whatever was set before.
_UPSERT = """
INSERT INTO accounts_restrictedperson (number_digest, until, lifted_at, last_import_id)
SELECT digest, until, NULL, %s FROM unnest(%s::bytea[], %s::date[]) AS line (digest, until)
ON CONFLICT (number_digest) DO UPDATE SET
    until = CASE WHEN EXCLUDED.until IS NOT NULL THEN GREATEST(accounts_restrictedperson.until, EXCLUDED.until) END,
    lifted_at = NULL,
    last_import_id = EXCLUDED.last_import_id
"""


@dataclass(frozen=True, slots=True)
class FaultyLine:
    """A line of the file that could not be read, by its number from 1, and why. The line itself is personal data."""

    number: int
    fault: DomainError


@dataclass(frozen=True, slots=True)
class ReadRegister:
    """What was imported, and what could not be."""

    record: RegisterImport
    faults: tuple[FaultyLine, ...]


def import_register(*, text: str, as_of: datetime, actor: str) -> ReadRegister:
    """Read the register as it stood at `as_of`.

    :raises DomainError: BAD_VALUE for another header, an instant that lies ahead, a file that names nobody while
        somebody stands in the register without an end, or one that lacks more than is trusted and that no two people
        have confirmed (`named`, `before`, `leaving`). Nothing was read.
    """
    persons, faults = _read(text)
    with one_transaction():
        at = clock.now()
        if as_of > at:
            raise DomainError(Refusal.BAD_VALUE, _("The register's date lies ahead."), field="as_of")
        record = RegisterImport.objects.create(
            as_of=as_of,
            imported_at=at,
            imported_by=actor,
            lines=len(persons),
            faults=len(faults),
        )
        with connection.cursor() as cursor:
            cursor.execute(_UPSERT, [record.pk, list(persons), list(persons.values())])
        lifted = 0 if faults else _let_go(record, file_digest(text), at)
        write_journal(
            at=at,
            actor=actor,
            act="import_register",
            subject=f"register:{record.pk}",
            after={"lines": len(persons), "faults": len(faults), "lifted": lifted, "as_of": as_of.isoformat()},
        )
    return ReadRegister(record, tuple(faults))


def _let_go(record: RegisterImport, digest: str, at: datetime) -> int:
    """Lift what had no end and is no longer in the register; an older file than the last one lifts nothing."""
    read_before = RegisterImport.objects.filter(faults=0).exclude(pk=record.pk)
    if read_before.filter(as_of__gt=record.as_of).exists():
        return 0
    standing = RestrictedPerson.objects.filter(until__isnull=True, lifted_at__isnull=True)
    unnamed = standing.exclude(last_import=record)
    leaving = unnamed.count()
    if not record.lines and leaving:
        raise DomainError(Refusal.BAD_VALUE, _("This must not be empty."), field="file")
    last = read_before.order_by("-as_of", "-pk").first()
    if last is not None:
        refuse_shrunken(digest, named=record.lines, last=last, leaving=leaving, standing=standing.count(), at=at)
    return unnamed.update(lifted_at=at)


def _read(text: str) -> tuple[dict[bytes, date | None], Sequence[FaultyLine]]:
    rows = csv_rows(text)
    if [cell.strip() for cell in next(rows, (0, []))[1]] != HEADER:
        raise DomainError(
            Refusal.BAD_VALUE, _("The first line must be %(header)s.") % {"header": ";".join(HEADER)}, field="file"
        )
    persons: dict[bytes, date | None] = {}
    faults = []
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            digest, until = _read_line(row)
        except DomainError as fault:
            faults.append(FaultyLine(number, fault))
        else:
            named_before = digest in persons
            persons[digest] = _later(persons[digest], until) if named_before else until
    return persons, faults


def _later(one: date | None, other: date | None) -> date | None:
    """Return the later end; none is the latest."""
    return None if one is None or other is None else max(one, other)


def _read_line(row: Sequence[str]) -> tuple[bytes, date | None]:
    if len(row) != len(HEADER):
        raise DomainError(Refusal.BAD_VALUE, _("A line has two fields."), field="file")
    number, until = (cell.strip() for cell in row)
    try:
        return number_digest(number), date.fromisoformat(until) if until else None
    except ValueError as fault:
        raise DomainError(Refusal.BAD_VALUE, _("Write a date as 2026-12-31."), field="until") from fault
