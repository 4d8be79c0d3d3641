"""What was published, each document with the line that the public log must have for it (X6)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pools.models import (
    AbandonedCorrection,
    BetCancellation,
    Commitment,
    Correction,
    LogEntry,
    LogKind,
    Protocol,
    Settlement,
    SettlementState,
)
from pools.snapshots.result import result_file
from totalizator.engine.canonical import digest

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """A document by the line that tells of it."""

    kind: str
    subject: str
    version: int
    digest: str

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}, version {self.version}"


def published(kind: LogKind, subject: str, content: bytes, version: int = 1) -> PublishedDocument:
    """Describe a document by its exact bytes."""
    return PublishedDocument(str(kind), subject, version, digest(content))


def published_documents() -> Iterator[PublishedDocument]:
    """Yield every document of a pool that was ever published, in constant memory."""
    for commitment in Commitment.objects.select_related("pool").order_by("pk").iterator():
        yield published(LogKind.COMMITMENT, commitment.pool.code, commitment.document_text.encode())
    sealed = Protocol.objects.filter(sealed_at__isnull=False).select_related("pool").order_by("pool_id", "version")
    for protocol in sealed.iterator():
        kind = LogKind.PROTOCOL if protocol.version == 1 else LogKind.CORRECTION
        yield published(kind, protocol.pool.code, result_file(protocol), protocol.version)
    official = Settlement.objects.filter(state=SettlementState.OFFICIAL).select_related("pool").order_by("pk")
    for settlement in official.iterator():
        yield published(LogKind.SETTLEMENT, settlement.pool.code, settlement.manifest_text.encode())
    corrections = Correction.objects.filter(state=SettlementState.OFFICIAL).select_related("pool").order_by("pk")
    for correction in corrections.iterator():
        code, version = correction.pool.code, correction.version
        yield published(LogKind.SETTLEMENT, code, correction.manifest_text.encode(), version)
        yield published(LogKind.AMENDMENT, code, correction.correction_text.encode(), version)
    for bet in BetCancellation.objects.order_by("pool_id", "ticket").iterator():
        yield published(LogKind.CORRECTION, bet.ticket, bet.document_text.encode())
    for given_up in AbandonedCorrection.objects.select_related("pool").order_by("pool_id", "version").iterator():
        number = f"{given_up.pool.code}/{given_up.version}"
        yield published(LogKind.CORRECTION, number, given_up.document_text.encode())


def without_line(documents: Iterable[PublishedDocument]) -> Iterator[str]:
    """Name every document of which the log has no line, or only one with another digest."""
    rest = iter(documents)
    while batch := list(islice(rest, _AT_ONCE)):
        logged: dict[tuple[str, str, int], set[str]] = {}
        lines = LogEntry.objects.filter(subject__in={document.subject for document in batch})
        for kind, subject, version, named in lines.values_list("kind", "subject", "version", "digest"):
            logged.setdefault((kind, subject, version), set()).add(named)
        for document in batch:
            digests = logged.get((document.kind, document.subject, document.version))
            if digests is None:
                yield f"{document}: no line"
            elif document.digest not in digests:
                yield f"{document}: its line has another digest"
