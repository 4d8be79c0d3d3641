"""manifest.json: at settlement, the digest of every other file of the bundle."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine import fields as read
from totalizator.engine.canonical import digest_name, parse_json
from totalizator.engine.fields import Fields
from totalizator.engine.instants import instant_text, read_instant
from totalizator.engine.signatures import MANIFEST, Signature, payload, signatures
from totalizator.engine.terms import parse_terms
from totalizator.engine.version import ENGINE_VERSION

LISTED = tuple(name for name in bundle.FILES if name != bundle.MANIFEST)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest as read."""

    pool: str
    files: Mapping[str, str]
    """File name → its digest."""
    settled_at: str
    signatures: tuple[Signature, ...]


def build_manifest(directory: str | Path, settled_at: datetime | str) -> dict[str, object]:
    """List the digests of a settled bundle; the signatures are still to be put in.

    :raises EngineError: MISSING_FILE, or what is wrong in terms.json.
    """
    folder = Path(directory)
    return {
        "format": 1,
        "pool": parse_terms(bundle.read_file(folder, bundle.TERMS)).pool.code,
        "files": {name: file_digest(folder, name) for name in LISTED if bundle.is_there(folder, name)},
        "settled_at": instant_text(settled_at),
        "engine": ENGINE_VERSION,
    }


def manifest_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a manifest that the operator signs."""
    return payload(MANIFEST, document)


def file_digest(folder: Path, name: str) -> str:
    """Digest one file without holding it in memory.

    :raises EngineError: MISSING_FILE.
    """
    try:
        with folder.joinpath(name).open("rb") as file:
            return digest_name(hashlib.file_digest(file, "sha256").digest())
    except OSError as error:
        raise bundle.missing(name, error) from None


def parse_manifest(document: object, *, where: str = "manifest.json") -> Manifest:
    """Read a manifest.

    :raises EngineError: naming the field; UNKNOWN_KEY for a file that is no part of a bundle.
    """
    document = parse_json(document, where=where) if isinstance(document, bytes) else document
    fields = Fields(document, where, inner=False)
    fields.need("format", read.first_format)
    fields.need("engine", read.label)
    manifest = Manifest(
        pool=fields.need("pool", read.label),
        files=fields.need("files", read.table(dict.fromkeys(LISTED), read.digest_text)),
        settled_at=fields.need("settled_at", read_instant),
        signatures=fields.take("signatures", signatures("key"), ()),
    )
    fields.finish()
    return manifest
