"""The notice that the operator goes on with another key, signed by the key before (X6)."""

import base64
from collections.abc import Mapping
from hashlib import sha256

from totalizator.engine import fields as read
from totalizator.engine.canonical import parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields
from totalizator.engine.instants import read_instant
from totalizator.engine.signatures import KEY_NOTICE, PUBLIC_KEY_BYTES, base64_bytes, parse_keys, payload, signatures
from totalizator.engine.verdict import Verdict
from totalizator.engine.witness import signed_by

NOT_CHECKED = "signatures not checked"


def notice_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a notice that the former key signs."""
    return payload(KEY_NOTICE, document)


def verify_key_notice(notice: bytes, *, where: str, keys: bytes | None = None) -> Verdict:
    """Check that a key of the operator's has named the one after it.

    :raises EngineError: for wrong keys; what is wrong in the notice is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        document = parse_json(notice, where=where)
        former, key, at = _read(document, where)
        if public is not None:
            _need_former(former, signed_by(document, where, KEY_NOTICE, "key", public), where)
    except (Difference, EngineError) as error:
        return Verdict(str(error))
    told = f"{former} named {key} as the key after it, at {at}"
    return Verdict(None, (told, NOT_CHECKED) if public is None else (told,))


def _need_former(former: str, right: frozenset[str], where: str) -> None:
    if right != {former}:
        raise Difference(f"{where}, signatures: not signed by {shown(former)}")


def _read(document: object, where: str) -> tuple[str, str, str]:
    fields = Fields(document, where, inner=False)
    fields.need("format", read.first_format)
    former, key = fields.need("former", read.label), fields.need("key", read.label)
    public = fields.need("public", base64_bytes)
    at = fields.need("at", read_instant)
    fields.need("signatures", signatures("key"))
    fields.finish()
    if len(public) != PUBLIC_KEY_BYTES or key != f"operator-{sha256(public).hexdigest()[:32]}":
        raise Difference(f"{where}, key: {shown(key)} is not the name of {base64.b64encode(public).decode()}")
    return former, key, at
