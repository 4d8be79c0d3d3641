"""What of a pool goes into the public log: its commitment, its sealed protocol, its official settlement (X1, X6)."""

from datetime import datetime

from pools.models import Commitment, Correction, LogKind, Pool, Protocol, Settlement
from pools.services.log_heads import note_log_head
from pools.services.log_stamps import enqueue_stamping
from pools.services.public_log import append_to_log
from pools.snapshots.result import result_document
from totalizator.core.journal import write_journal
from totalizator.engine.canonical import json_file
from totalizator.engine.instants import instant_text, read_instant

LATE_ACT = "flag_late_commitment"


def publish_commitment(pool: Pool, commitment: Commitment) -> None:
    """Log commitment.json, note the head, and have others time-stamp it (X1); the last thing of sealing the bets."""
    append_to_log(
        kind=LogKind.COMMITMENT,
        subject=pool.code,
        document=commitment.document_text.encode(),
        at=commitment.committed_at,
    )
    note_log_head(actor="pools")
    enqueue_stamping()


def publish_protocol(pool: Pool, protocol: Protocol, *, at: datetime) -> None:
    """Log result.json as sealed; the last thing of sealing the protocol. A late commitment is flagged before (X1)."""
    document = result_document(protocol)
    _flag_late_commitment(pool, document["first_started_at"], at=at)
    append_to_log(
        kind=LogKind.PROTOCOL if protocol.version == 1 else LogKind.CORRECTION,
        subject=pool.code,
        document=json_file(document),
        at=at,
        version=protocol.version,
    )


def publish_settlement(pool: Pool, settlement: Settlement, *, at: datetime) -> None:
    """Log manifest.json, which names every other file; the last thing of making a settlement official."""
    append_to_log(kind=LogKind.SETTLEMENT, subject=pool.code, document=settlement.manifest_text.encode(), at=at)


def publish_correction(pool: Pool, correction: Correction, *, at: datetime) -> None:
    """Log the corrected manifest.json and then correction.json; the last thing of making a correction official."""
    files = ((LogKind.SETTLEMENT, correction.manifest_text), (LogKind.AMENDMENT, correction.correction_text))
    for kind, text in files:
        append_to_log(kind=kind, subject=pool.code, document=text.encode(), at=at, version=correction.version)


def _flag_late_commitment(pool: Pool, started: str | None, *, at: datetime) -> None:
    """Journal as a significant event that the bets were fixed only when the first event had begun (X1)."""
    if started is None:
        return
    committed = instant_text(Commitment.objects.get(pool=pool).committed_at)
    started = read_instant(started, "first_started_at")
    if committed >= started:
        write_journal(
            at=at,
            actor="pools",
            act=LATE_ACT,
            subject=f"pool:{pool.code}",
            reason="the bets were committed to after the first event had begun",
            after={"committed_at": committed, "first_started_at": started},
        )
