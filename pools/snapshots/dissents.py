"""What members said against a protocol beside its document: signed, published with the result (¶10, X5)."""

from typing import Any

from pools.models import Protocol, ProtocolDissent
from totalizator.core.signing import ALGORITHM
from totalizator.engine.canonical import digest


def statement_of(protocol: Protocol, said: ProtocolDissent) -> dict[str, Any]:
    """Return what a member signs: who says what of which document."""
    return {
        "protocol": protocol.number,
        "document": digest(protocol.document_text.encode()),
        "member": said.key_id,
        "words": said.words,
    }


def statements_beside(protocol: Protocol) -> list[dict[str, Any]]:
    """Return every statement that stands beside the document, signed, the earliest first; what is in it is not here."""
    given = ProtocolDissent.objects.filter(pool_id=protocol.pool_id, version=protocol.version).exclude(signature="")
    return [
        {
            **statement_of(protocol, said),
            "signatures": [{"member": said.key_id, "algorithm": ALGORITHM, "signature": said.signature}],
        }
        for said in given.order_by("said_at", "member_id")
    ]
