"""result.json: the sealed protocol with the signatures under it (¶10, ¶30)."""

import json
from collections.abc import Iterable
from typing import Any

from pools.models import ComputedTwice, Pool, Protocol, ProtocolSignature, Settlement
from totalizator.core.signing import ALGORITHM
from totalizator.engine.canonical import json_file


def sealed_protocol(pool: Pool) -> Protocol | None:
    """Return the protocol that the pool is settled by; until it is settled, the latest sealed version."""
    settlement = Settlement.objects.filter(pool=pool).first()
    return protocol_of(settlement) if settlement is not None else newest_sealed_protocol(pool)


def newest_sealed_protocol(pool: Pool) -> Protocol | None:
    """Return the latest sealed version: of a settled pool it may be a correcting one (H5)."""
    return Protocol.objects.filter(pool=pool, sealed_at__isnull=False).order_by("-version").first()


def protocol_of(computed: ComputedTwice) -> Protocol:
    """Return the version that a settlement or a correction is computed by."""
    return Protocol.objects.get(pool=computed.pk, version=computed.version)


def result_document(protocol: Protocol) -> dict[str, Any]:
    """Return the document that was signed, and its signatures in the order of their keys."""
    return signed_document(
        protocol, ProtocolSignature.objects.filter(pool_id=protocol.pool_id, version=protocol.version)
    )


def signed_document(protocol: Protocol, signatures: Iterable[ProtocolSignature]) -> dict[str, Any]:
    """Return the document with these signatures, that are all under it, in the order of their keys."""
    document: dict[str, Any] = json.loads(protocol.document_text)
    document["signatures"] = [
        {"member": each.key_id, "algorithm": ALGORITHM, "signature": each.signature}
        for each in sorted(signatures, key=lambda each: each.key_id)
    ]
    return document


def result_file(protocol: Protocol) -> bytes:
    """Return result.json of one version, byte for byte as it is published."""
    return json_file(result_document(protocol))
