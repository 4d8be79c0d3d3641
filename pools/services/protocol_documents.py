"""The document of a protocol: result.json without its signatures, exactly what the members sign (¶10, ¶30, H2)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pools.models import Evidence, Pool, Protocol, ResultEntry
from pools.services.evidence import evidence_of
from pools.services.result_entries import EVENT
from pools.snapshots.result import result_file
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.instants import instant_text


def protocol_document(
    pool: Pool, entries: Sequence[ResultEntry], *, corrected: Protocol | None, at: datetime
) -> dict[str, Any]:
    """Return the document of the version that two like entries draw up. `sealed_at` in it is when it was drawn up.

    Words that have no place of their own stand among the evidence: why something is void, and why it is a correction.
    """
    result: dict[str, Any] = parse_json(entries[0].result_text.encode(), where="result")
    version = pool.protocols.count() + 1
    protocol = {
        "number": f"{pool.code}/{version}",
        "version": version,
        "previous": digest_of(corrected) if corrected is not None else _last_sealed(),
        "digest": digest(canonical_json(result)),
        "sealed_at": instant_text(at),
        "evidence": [
            *_corrections(entries),
            *_void_reasons(pool, entries),
            *(_evidence(each) for each in evidence_of(pool, entries)),
        ],
        "dissent": [],
    }
    return {"protocol": protocol, **result}


def digest_of(protocol: Protocol) -> str:
    """Return what the next protocol in the chain names this one by.

    The digest of result.json as it is published and stands in the public log; of a version that was never sealed, and
    so has no signatures, that of what would have been signed.
    """
    if protocol.sealed_at is not None:
        return digest(result_file(protocol))
    return digest(protocol.document_text.encode())


def _last_sealed() -> str | None:
    """Return the digest of the protocol, of any pool, that was sealed last by now."""
    last = Protocol.objects.filter(sealed_at__isnull=False).order_by("-sealed_at", "-pool_id", "-version").first()
    return digest_of(last) if last is not None else None


def _evidence(evidence: Evidence) -> dict[str, str]:
    condition = {"condition": evidence.condition} if evidence.condition else {}
    return condition | {
        "source": f"{evidence.source} {evidence.address}".strip(),
        "captured_at": instant_text(evidence.captured_at),
        "digest": evidence.digest,
    }


def _void_reasons(pool: Pool, entries: Sequence[ResultEntry]) -> Iterator[dict[str, str]]:
    for code in (EVENT, *(condition.code for condition in pool.terms.conditions)):
        words = _together(_said(entry.void_reasons, code) for entry in entries)
        if words:
            condition = {"condition": code} if code != EVENT else {}
            yield condition | {"source": f"did not take place: {words}"}


def _corrections(entries: Sequence[ResultEntry]) -> Iterator[dict[str, str]]:
    words = _together(f"{entry.reason} ({entry.document})" for entry in entries if entry.corrects)
    if words:
        yield {"source": f"corrects version {entries[0].corrects}: {words}"}


def _said(reasons: Mapping[str, str], code: str) -> str:
    return reasons.get(code, "")


def _together(said: Iterator[str]) -> str:
    """Join what the two say, once where they say the same."""
    return "; ".join(dict.fromkeys(words for words in said if words))
