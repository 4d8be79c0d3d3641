"""The public log: one line for each document that was published, and the signed head that fixes all of them (X6).

Its leaves are its lines without their newline, in a Merkle tree as of the bets. A head is its size and root, signed:
who keeps one can later tell whether the log has only grown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from totalizator.engine import fields as read
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields
from totalizator.engine.instants import instant_text, read_instant
from totalizator.engine.signatures import LOG, Signature, payload, signatures

KINDS = ("commitment", "protocol", "settlement", "correction", "amendment", "journal", "report")
HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line as read: that a document with this digest was published, and when."""

    index: int
    kind: str
    subject: str
    """What it is about: of a pool's documents the pool's code."""
    version: int
    digest: str
    at: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """A head as read."""

    log: str
    """The log's name, so that nobody takes a head of another log for a split view of this one."""
    size: int
    root: bytes
    at: str
    signatures: tuple[Signature, ...]


def entry_line(*, index: int, kind: str, subject: str, version: int, digest: str, at: datetime | str) -> bytes:
    """Write one line, without its newline."""
    document = {"index": index, "kind": kind, "subject": subject, "version": version, "digest": digest}
    return canonical_json({**document, "at": instant_text(at)})


def head_document(*, log: str, size: int, root: bytes, at: datetime | str) -> dict[str, object]:
    """Write a head; the signatures are still to be put in."""
    return {"format": 1, "log": log, "size": size, "root": root.hex(), "at": instant_text(at)}


def head_payload(document: Mapping[str, object]) -> bytes:
    """Give the bytes of a head that the operator signs."""
    return payload(LOG, document)


def parse_entry(document: object, *, where: str) -> LogEntry:
    """Read an entry.

    :raises EngineError: naming the field.
    """
    fields = Fields(document, where, inner=False)
    entry = LogEntry(
        index=fields.need("index", read.whole(0)),
        kind=fields.need("kind", read.one_of(*KINDS)),
        subject=fields.need("subject", read.code),
        version=fields.need("version", read.whole(1)),
        digest=fields.need("digest", read.digest_text),
        at=fields.need("at", read_instant),
    )
    fields.finish()
    return entry


def read_line(line: bytes, *, where: str) -> LogEntry:
    """Read a line without its newline; there is one way to write it, as its bytes are what is hashed.

    :raises EngineError: naming the field.
    """
    document = parse_json(line, where=where)
    entry = parse_entry(document, where=where)
    if canonical_json(document) != line:
        raise EngineError("BAD_VALUE", where, "keys sorted, no spaces")
    return entry


def parse_head(document: object, *, where: str) -> LogHead:
    """Read a head.

    :raises EngineError: naming the field.
    """
    document = parse_json(document, where=where) if isinstance(document, bytes) else document
    fields = Fields(document, where, inner=False)
    fields.need("format", read.first_format)
    head = LogHead(
        log=fields.need("log", read.label),
        size=fields.need("size", read.whole(1)),
        root=fields.need("root", hash_bytes),
        at=fields.need("at", read_instant),
        signatures=fields.take("signatures", signatures("key"), ()),
    )
    fields.finish()
    return head


def hash_bytes(value: object, where: str) -> bytes:
    """Read the 32 bytes of a hash from their lower-case hex."""
    if not isinstance(value, str) or not HASH.fullmatch(value):
        raise EngineError("BAD_VALUE", where, f"64 characters 0-9a-f, not {shown(value)}")
    return bytes.fromhex(value)
