"""Sealing the journal: rows are written unchained, so that no bet waits for a chain, and chained in batches (S1).

Ids are given out before rows are committed. A row that another transaction is still writing is missing when its
neighbours are sealed; it is looked for until it comes, or until nobody who could write it is left.
"""

from django.db import connection
from psycopg.types.range import Range

from totalizator.core import clock
from totalizator.core.advisory import LockSpace, try_lock_exclusive
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.fields import IdRanges, id_ranges
from totalizator.core.journal_rows import ROWS_TO_SEAL, row_line
from totalizator.core.models import JournalSeal, JournalSealer
from totalizator.core.transactions import one_transaction
from totalizator.engine.instants import instant_text
from totalizator.engine.journal import Batch, Ranges, Seal, make_seal

MOST_ROWS = 10_000  # of a seal
SEAL = "totalizator.core.tasks.seal_journal"

# Who inserts into the journal holds this lock on it from before the id is drawn until the transaction ends.
_WRITERS = """
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND database = (
    SELECT oid FROM pg_database WHERE datname = current_database()
) AND relation = 'core_journalrecord'::regclass
"""
# What is missing now: what was missing, and what lies between the last id seen and the newest sealed, less what came.
_MISSING = """
SELECT %(missing)s + int8multirange(int8range(%(last)s::bigint, %(newest)s::bigint, '(]')) - %(came)s,
       %(long)s - %(came)s
"""


def enqueue_sealing() -> None:
    """Have the journal sealed as soon as the running transaction is committed."""
    enqueue_after_commit(SEAL)


def seal_journal() -> int:
    """Seal every committed row that is not sealed yet, and return how many; 0 when another one is sealing."""
    sealed = 0
    while True:
        with one_transaction():
            batch = _seal_batch() if try_lock_exclusive(LockSpace.JOURNAL, 0) else 0
        sealed += batch
        if batch < MOST_ROWS:
            return sealed


def newest_seal() -> Seal | None:
    """Return the newest seal."""
    row = JournalSeal.objects.order_by("-number").first()
    return None if row is None else as_seal(row)


def as_seal(row: JournalSeal) -> Seal:
    """Return a stored seal as the engine checks it."""
    ids: Ranges = [[part.lower, part.upper - 1] for part in row.ids]
    at, marks = instant_text(row.at), bytes(row.marks)
    return Seal(row.number, row.previous, at, ids, row.count, row.rows, marks, row.digest)


def _seal_batch() -> int:
    sealer = JournalSealer.objects.filter(pk=1).first() or JournalSealer()
    waited = _look_at_writers(sealer)
    batch = _read_batch(sealer, waited)
    came = id_ranges(Range(first, last + 1) for first, last in batch.ids)
    if batch.count:
        _store(batch, came)
    if batch.count == MOST_ROWS:  # not all that was waited for may have been read
        sealer.missing_long = id_ranges([*sealer.missing_long, *waited])
    _note_missing(sealer, came)
    return batch.count


def _look_at_writers(sealer: JournalSealer) -> IdRanges:
    """Return the ids to be looked for a last time: nobody who could write them is left.

    Asked before the rows are read: who has ended by now has committed what it wrote, or never will.
    """
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS)
        writers = [name for (name,) in cursor.fetchall()]
    if set(sealer.writers) & set(writers) or not (sealer.missing or sealer.missing_long):
        return id_ranges()
    waited = id_ranges(sealer.missing_long)
    sealer.missing_long, sealer.missing, sealer.writers = sealer.missing, id_ranges(), writers
    return waited


def _read_batch(sealer: JournalSealer, waited: IdRanges) -> Batch:
    batch = Batch()
    missing = id_ranges([*sealer.missing, *sealer.missing_long, *waited])
    with connection.cursor() as cursor:
        cursor.execute(ROWS_TO_SEAL, {"last": sealer.last, "missing": missing, "most": MOST_ROWS})
        for row in cursor.fetchall():
            batch.add(*row_line(row))
    return batch


def _store(batch: Batch, ids: IdRanges) -> None:
    at = clock.now()
    seal = make_seal(newest_seal(), batch, instant_text(at))
    JournalSeal.objects.create(
        number=seal.number,
        previous=seal.previous,
        at=at,
        ids=ids,
        count=seal.count,
        rows=seal.rows,
        marks=seal.marks,
        digest=seal.digest,
    )


def _note_missing(sealer: JournalSealer, came: IdRanges) -> None:
    newest = max([sealer.last, *(part.upper - 1 for part in came if part.upper is not None)])
    with connection.cursor() as cursor:
        cursor.execute(
            _MISSING,
            {
                "missing": id_ranges(sealer.missing),
                "long": id_ranges(sealer.missing_long),
                "last": sealer.last,
                "newest": newest,
                "came": came,
            },
        )
        sealer.missing, sealer.missing_long = cursor.fetchone()
    sealer.last = newest
    sealer.save()
