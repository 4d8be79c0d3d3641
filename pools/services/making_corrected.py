"""Making a correction official: published, and handed on to be made good on the tickets, in one transaction (H5)."""

from collections.abc import Mapping
from datetime import datetime

from pools.models import CorrectedWinning, Correction, Pool
from pools.queries.winnings import rows_and_sum
from pools.services.making_official import mark_official, sums_of
from pools.services.publishing import publish_correction
from pools.services.settlement_money import BrokenIdentity
from pools.snapshots.result import protocol_of
from totalizator.core.enqueuing import enqueue_after_commit
from totalizator.core.journal import write_journal
from totalizator.core.outbox import tell
from totalizator.core.outbox_kinds import EventKind
from totalizator.engine.canonical import parse_json
from totalizator.engine.statement import Statement

APPLY = "payouts.tasks.apply_due_corrections"


def make_corrected(
    pool: Pool,
    correction: Correction,
    statement: Statement,
    document: Mapping[str, object],
    *,
    at: datetime,
    actor: str,
) -> None:
    """Mark a correction whose files are signed, journal and tell it, and publish it; the pool is locked.

    No money moves yet: that is done with what is owed on each ticket, by the job that is enqueued.

    :raises BrokenIdentity: when the rows do not agree with the statement.
    """
    protocol = protocol_of(correction)
    assert protocol.sealed_at is not None
    rows, total = rows_and_sum(pool, CorrectedWinning)
    if total != statement.winnings:
        raise BrokenIdentity(f"pool {pool.code}: corrected rows of {total} for winnings of {statement.winnings}")
    mark_official(pool, correction, at=at, sealed_at=protocol.sealed_at, manifest_text=correction.manifest_text)
    correction.save()
    sums = {"protocol": protocol.number, "corrects": document["corrects"], "rows": rows, **sums_of(statement)}
    proved = {
        "changed": document["changed"],
        "files": parse_json(correction.manifest_text.encode(), where="manifest.json")["files"],
        "release": correction.release,
    }
    write_journal(at=at, actor=actor, act="correct_settlement", subject=f"pool:{pool.code}", after=sums | proved)
    tell(EventKind.POOL_CORRECTED, f"pool:{pool.code}", sums, at=at)
    enqueue_after_commit(APPLY)
    publish_correction(pool, correction, at=at)
