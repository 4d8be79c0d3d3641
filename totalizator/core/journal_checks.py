"""Checking the journal against its seals: the first row that was changed, deleted or added is named (S1)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection, transaction
from psycopg.types.range import Range

from totalizator.core import clock
from totalizator.core.fields import IdRanges, id_ranges
from totalizator.core.journal import write_journal
from totalizator.core.journal_rows import lines_of
from totalizator.core.journal_seals import as_seal, seal_journal
from totalizator.core.models import JournalSeal, JournalSealer
from totalizator.engine.journal import Known, Seal, broken_link, broken_row, cut_off, unlike_known

logger = logging.getLogger(__name__)

# A row is unsealed by right only while the sealer has not come to it: above the last id seen, or among the missing.
_ADDED = """
WITH sealed AS (SELECT COALESCE(range_agg(ids), '{}') AS ids FROM core_journalseal)
SELECT r.id FROM core_journalrecord r, sealed
WHERE NOT sealed.ids @> r.id AND NOT %(missing)s @> r.id
  AND (r.id <= %(last)s OR r.id > (SELECT last_value FROM core_journalrecord_id_seq))
ORDER BY r.id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class CheckedJournal:
    """What a check found."""

    broken: str | None
    """The first thing that is wrong, by seal and id; None when all holds."""
    newest: Seal | None
    """The newest seal that holds."""


def check_journal(known: Known | None = None) -> CheckedJournal:
    """Seal what is not sealed, then compare every row with its seal and every seal with the one before.

    `known` is the number and digest of a seal known from outside, such as from an exported copy: without one, who could
    rewrite all rows and all seals after them could not be found.
    """
    seal_journal()
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:  # one snapshot
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        newest: Seal | None = None
        for seal in _seals():
            broken = broken_link(newest, seal) or unlike_known(seal, known) or broken_row(seal, lines_of(_ids(seal)))
            if broken is not None:
                return CheckedJournal(broken, newest)
            newest = seal
        return CheckedJournal(cut_off(newest, known) or _unseen(newest) or _added(), newest)


def check_and_note(*, actor: str) -> CheckedJournal:
    """Check the journal, and write what was found into it and into the log."""
    checked = check_journal()
    if checked.broken is not None:
        logger.critical("The journal is broken: %s", checked.broken)
    newest = checked.newest
    write_journal(
        at=clock.now(),
        actor=actor,
        act="check_journal",
        subject="journal",
        after={"broken": checked.broken, "newest": None if newest is None else f"{newest.number}:{newest.digest}"},
    )
    return checked


def sealed_lines() -> Iterator[bytes]:
    """Yield the journal as a file that `python -m totalizator.engine verify-journal` checks: rows, then their seal."""
    for seal in _seals():
        yield from (line for _number, line in lines_of(_ids(seal)))
        yield seal.line()


def _seals() -> Iterator[Seal]:
    last = 0
    while row := JournalSeal.objects.filter(number__gt=last).order_by("number").first():
        last = row.number
        yield as_seal(row)


def _ids(seal: Seal) -> IdRanges:
    return id_ranges(Range(first, last + 1) for first, last in seal.ids)


def _unseen(newest: Seal | None) -> str | None:
    """Tell whether seals are gone from the end: the sealer has seen a later one."""
    number = 0 if newest is None else newest.number
    sealer = JournalSealer.objects.filter(pk=1).first()
    seen = 0 if sealer is None else sealer.last
    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(max(upper(ids)) - 1, 0) FROM core_journalseal")
        (sealed,) = cursor.fetchone()
    return f"seal {number + 1} is missing" if seen > sealed else None


def _added() -> str | None:
    sealer = JournalSealer.objects.filter(pk=1).first() or JournalSealer()
    missing = id_ranges([*sealer.missing, *sealer.missing_long])
    with connection.cursor() as cursor:
        cursor.execute(_ADDED, {"missing": missing, "last": sealer.last})
        row = cursor.fetchone()
    return None if row is None else f"row {row[0]} was added, in no seal"
