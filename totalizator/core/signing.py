"""The operator's signature (Ed25519) under commitments, manifests, heads, receipts and tickets (X1, X2).

The secret half stays in the settings.
"""

import base64
from functools import lru_cache
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

ALGORITHM = "ed25519"


@lru_cache(maxsize=4)
def _private_key(hex_seed: str) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(hex_seed))
    except ValueError as fault:
        raise ImproperlyConfigured("OPERATOR_KEY: an Ed25519 seed of 32 bytes in hex is needed.") from fault


def _operator_key() -> Ed25519PrivateKey:
    """Return the key of the settings; where none is set, which production refuses, one derived from SECRET_KEY."""
    return _private_key(settings.OPERATOR_KEY or sha256(b"operator key\n" + settings.SECRET_KEY.encode()).hexdigest())


def key_id(owner: str, public: bytes) -> str:
    """Name a public key (32 bytes): `operator-` or `member-`, and half of its digest."""
    return f"{owner}-{sha256(public).hexdigest()[:32]}"


def operator_public_key() -> bytes:
    """Return the 32 public bytes that everyone may check the operator's signatures with."""
    return _operator_key().public_key().public_bytes_raw()


def operator_key_id() -> str:
    """Return the name under which the operator's key is published."""
    return key_id("operator", operator_public_key())


def operator_signature(payload: bytes) -> bytes:
    """Sign `payload`; the same payload gives the same 64 bytes."""
    return _operator_key().sign(payload)


def operator_sign(payload: bytes) -> dict[str, str]:
    """Sign `payload` and return the entry for a document's `signatures`."""
    signature = base64.b64encode(operator_signature(payload)).decode()
    return {"key": operator_key_id(), "algorithm": ALGORITHM, "signature": signature}
