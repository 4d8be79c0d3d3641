"""What is signed, by which key, and whether the signature is right."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from totalizator.engine import ed25519
from totalizator.engine import fields as read
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields, Reader

PROTOCOL = b"totalizator-protocol-v1\n"
COMMITMENT = b"totalizator-commitment-v1\n"
MANIFEST = b"totalizator-manifest-v1\n"
CORRECTION = b"totalizator-correction-v1\n"
LOG = b"totalizator-log-v1\n"
RECEIPT = b"totalizator-receipt-v1\n"
TICKET = b"totalizator-ticket-v1\n"
PUBLIC_KEY_BYTES = 32
OPERATOR, COMMISSION = "operator", "commission"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature under a document, and the id of the key that should verify it."""

    key: str
    signature: bytes


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A published key; `role` is who signs with it. Without one it passes for either."""

    public: bytes
    role: str | None = None

    def is_of(self, role: str) -> bool:
        """Tell whether it may sign for `role`: nobody's key signs for another (X5)."""
        return self.role in (None, role)


Keys = Mapping[str, PublicKey]
"""By key id."""


def payload(purpose: bytes, document: Mapping[str, object]) -> bytes:
    """Give the bytes that are signed: the purpose, then the canonical document without its signatures."""
    return purpose + canonical_json({key: value for key, value in document.items() if key != "signatures"})


def signatures(signer: str) -> Reader[tuple[Signature, ...]]:
    """Read a list of signatures; `signer` is the key that names who signed (`member` or `key`)."""

    def read_signature(value: object, where: str) -> Signature:
        fields = Fields(value, where)
        key = fields.need(signer, read.label)
        fields.need("algorithm", read.one_of("ed25519"))
        signature = Signature(key=key, signature=fields.need("signature", base64_bytes))
        fields.finish()
        return signature

    return read.items(read_signature)


def base64_bytes(value: object, where: str) -> bytes:
    """Read bytes from their base64, in its only spelling: idle bits of the last letter must be 0."""
    expected = f"base64, not {shown(value)}"
    try:
        decoded = base64.b64decode(read.text(value, where), validate=True)
    except (binascii.Error, ValueError):
        raise EngineError("BAD_VALUE", where, expected) from None
    if base64.b64encode(decoded).decode() != value:
        raise EngineError("BAD_VALUE", where, expected)
    return decoded


def parse_keys(data: bytes | Mapping[str, object], *, where: str = "keys.json") -> Keys:
    """Read keys.json.

    :raises EngineError: naming the field.
    """
    document = parse_json(data, where=where) if isinstance(data, bytes) else data
    if not isinstance(document, Mapping):
        raise EngineError("BAD_VALUE", where, f"an object, not {shown(document)}")
    return {key: _public_key(value, f"{where}, {shown(key)[1:-1]}") for key, value in document.items()}


def _public_key(value: object, where: str) -> PublicKey:
    fields = Fields(value, where)
    fields.need("algorithm", read.one_of("ed25519"))
    public = fields.need("public", base64_bytes)
    role = fields.take("role", read.one_of(OPERATOR, COMMISSION), None)
    fields.finish()
    if len(public) != PUBLIC_KEY_BYTES:
        raise EngineError("BAD_VALUE", fields.at("public"), f"{PUBLIC_KEY_BYTES} bytes in base64")
    return PublicKey(public, role)


def signers(message: bytes, signed: Iterable[Signature], keys: Keys, role: str) -> tuple[frozenset[str], str | None]:
    """Verify every signature, each by a key of `role`.

    :returns: the ids of the keys that signed, and the id of the first key that is unknown, of another role or did not
        sign this.
    """
    right: set[str] = set()
    for entry in signed:
        key = keys.get(entry.key)
        if key is None or not key.is_of(role) or not ed25519.verify(key.public, message, entry.signature):
            return frozenset(right), entry.key
        right.add(entry.key)
    return frozenset(right), None
