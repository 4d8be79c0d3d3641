"""result.json: the sealed protocol with the signatures under it (¶10, ¶30)."""

import json
from typing import Any

from pools.models import Pool, Protocol, ProtocolSignature
from totalizator.core.signing import ALGORITHM
from totalizator.engine.canonical import json_file


def sealed_protocol(pool: Pool) -> Protocol | None:
    """Return the protocol that the pool is settled by: the latest sealed version."""
    return Protocol.objects.filter(pool=pool, sealed_at__isnull=False).order_by("-version").first()


def result_document(protocol: Protocol) -> dict[str, Any]:
    """Return the document that was signed, and its signatures in the order of their keys."""
    signed = ProtocolSignature.objects.filter(pool_id=protocol.pool_id, version=protocol.version).order_by("key_id")
    document: dict[str, Any] = json.loads(protocol.document_text)
    document["signatures"] = [
        {"member": key_id, "algorithm": ALGORITHM, "signature": signature}
        for key_id, signature in signed.values_list("key_id", "signature")
    ]
    return document


def result_file(protocol: Protocol) -> bytes:
    """Return result.json of one version, byte for byte as it is published."""
    return json_file(result_document(protocol))
