"""correction.json: that one settlement corrects another, and everything in which they differ (H5).

A corrected settlement is a whole bundle of its own: the same terms, bets, commitment and state, a later version of the
result, and all that is computed of it. With its files lie changed.csv and correction.json, which the operator signs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalizator.engine import bundle
from totalizator.engine import fields as read
from totalizator.engine.canonical import parse_json
from totalizator.engine.fields import Fields, Reader
from totalizator.engine.manifest import file_digest
from totalizator.engine.signatures import CORRECTION, Signature, payload, signatures

SUMS = ("refunds", "takeout", "winnings", "added", "jackpot_out")


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction.json as read: its claims by the name they have in the file, and its signatures."""

    claims: Mapping[str, object]
    signatures: tuple[Signature, ...]


def build_correction(before: Path, after: Path) -> dict[str, object]:
    """Say how the bundle `after`, which has its changed.csv, corrects `before`; the signatures are still to be put in.

    :raises EngineError: for what cannot be read.
    """
    return {"format": 1, **claims_of(before, after)}


def claims_of(before: Path, after: Path) -> dict[str, object]:
    """Give what a correction.json claims and anyone can compute again.

    :raises EngineError: for what cannot be read.
    """
    was, should = _json(before, bundle.STATEMENT), _json(after, bundle.STATEMENT)
    return {
        "pool": _json(before, bundle.TERMS)["pool"]["code"],
        "version": version_of(after),
        "corrects": version_of(before),
        "manifests": {"before": file_digest(before, bundle.MANIFEST), "after": file_digest(after, bundle.MANIFEST)},
        "changed": file_digest(after, bundle.CHANGED),
        "sums": {key: {"before": was[key], "after": should[key]} for key in SUMS},
    }


def correction_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a correction.json that the operator signs."""
    return payload(CORRECTION, document)


def parse_correction(document: object, *, where: str = bundle.CORRECTION) -> Correction:
    """Read a correction.json.

    :raises EngineError: naming the field.
    """
    document = parse_json(document, where=where) if isinstance(document, bytes) else document
    fields = Fields(document, where, inner=False)
    fields.need("format", read.first_format)
    claims: dict[str, object] = {
        "pool": fields.need("pool", read.label),
        "version": fields.need("version", read.whole(1)),
        "corrects": fields.need("corrects", read.whole(1)),
        "manifests": fields.need("manifests", _both(read.digest_text)),
        "changed": fields.need("changed", read.digest_text),
        "sums": fields.need("sums", _sums),
    }
    correction = Correction(claims, fields.take("signatures", signatures("key"), ()))
    fields.finish()
    return correction


def version_of(folder: Path) -> int:
    """Tell by which version of the protocol a bundle is settled; its result.json was read before."""
    version: int = _protocol(folder).get("version", 1)
    return version


def previous_of(folder: Path) -> str | None:
    """Give the digest that a bundle's protocol names as that of the one before; its result.json was read before."""
    previous: str | None = _protocol(folder).get("previous")
    return previous


def _protocol(folder: Path) -> dict[str, Any]:
    protocol: dict[str, Any] = _json(folder, bundle.RESULT)["protocol"]
    return protocol


def _json(folder: Path, name: str) -> Any:
    return parse_json(bundle.read_file(folder, name), where=name)


def _sums(value: object, where: str) -> dict[str, dict[str, int]]:
    fields = Fields(value, where)
    sums = {key: fields.need(key, _both(read.whole(0))) for key in SUMS}
    fields.finish()
    return sums


def _both(each: Reader[Any]) -> Reader[dict[str, Any]]:
    def read_both(value: object, where: str) -> dict[str, Any]:
        fields = Fields(value, where)
        both = {key: fields.need(key, each) for key in ("before", "after")}
        fields.finish()
        return both

    return read_both
