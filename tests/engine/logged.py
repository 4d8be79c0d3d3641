"""A public log and receipts, made with keys that only tests have."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.engine.bundles import Document, dump
from tests.engine.signed import entry, signed_bundle
from totalizator.engine.canonical import canonical_json, digest, json_file
from totalizator.engine.log import entry_line, head_document, head_payload
from totalizator.engine.merkle import MerkleTree, inclusion_path, leaf_hash
from totalizator.engine.merkle_proofs import Range, consistency_ranges
from totalizator.engine.proof import prove
from totalizator.engine.receipt import receipt_payload

NAME = "Тотализатор"


def hash_of_leaves(leaves: Sequence[bytes], part: Range) -> bytes:
    """Hash a range out of all leaves."""
    tree = MerkleTree()
    tree.extend(leaves[part[0] : part[1]])
    return tree.root()


def line(index: int, kind: str, subject: str, document: bytes, minute: int) -> bytes:
    """A line of the log, of 5 December from 11:00 on: before the start of the signed bundle's first event at 11:30."""
    at = f"2026-12-05T{11 + minute // 60}:{minute % 60:02}:00Z"
    return entry_line(index=index, kind=kind, subject=subject, version=1, digest=digest(document), at=at)


def head_of(
    lines: list[bytes], *, log: str = NAME, at: str = "2026-12-05T17:00:00Z", key: str = "operator"
) -> Document:
    root = hash_of_leaves([leaf_hash(one) for one in lines], (0, len(lines)))
    document = head_document(log=log, size=len(lines), root=root, at=at)
    return {**document, "signatures": [entry("key", key, head_payload(document))]}


def lines_of(bundle: Path) -> list[bytes]:
    """Seven lines: other pools', and among them the three of the bundle's."""
    pool = json.loads((bundle / "terms.json").read_bytes())["pool"]["code"]
    files = [(bundle / name).read_bytes() for name in ("commitment.json", "result.json", "manifest.json")]
    return [
        line(0, "commitment", "other", b"a", 1),
        line(1, "commitment", pool, files[0], 2),
        line(2, "commitment", "third", b"c", 3),
        line(3, "protocol", pool, files[1], 90),
        line(4, "correction", "T-0003", b"d", 91),  # a cancelled bet of the bundle's
        line(5, "settlement", pool, files[2], 92),
        line(6, "journal", "journal", b"e", 92),
    ]


def write_log(path: Path, lines: list[bytes], head: Document | None = None) -> Path:
    path.write_bytes(b"".join(one + b"\n" for one in (*lines, canonical_json(head or head_of(lines)))))
    return path


def write_head(path: Path, head: Document) -> Path:
    path.write_bytes(dump(head))
    return path


def logged_bundle(directory: Path) -> tuple[Path, list[bytes]]:
    """A signed bundle whose result and manifest are written as the site writes them, and its log's lines."""
    bundle = signed_bundle(directory)
    return bundle, lines_of(bundle)


def growth_document(lines: list[bytes], first: int, second: int) -> Document:
    leaves = [leaf_hash(one) for one in lines]
    return {
        "first": head_of(lines[:first], at="2026-12-05T16:00:00Z"),
        "second": head_of(lines[:second]),
        "path": [hash_of_leaves(leaves, part).hex() for part in consistency_ranges(first, second)],
    }


def receipt_of(bundle: Path, lines: list[bytes], ticket: str = "T-0002") -> Document:
    """The receipt of a ticket of the bundle, whose commitment is line 1."""
    proved = prove(bundle, ticket)
    logged = {
        "entry": json.loads(lines[1]),
        "path": [node.hex() for node in inclusion_path([leaf_hash(one) for one in lines], 1)],
        "head": head_of(lines),
    }
    document: Document = {
        "format": 1,
        "pool": proved["pool"],
        "bet": proved["line"],
        "index": proved["index"],
        "path": proved["path"],
        "root": proved["root"],
        "commitment": json.loads((bundle / "commitment.json").read_bytes()),
        "log": logged,
    }
    return sign_receipt(document)


def sign_receipt(document: dict[str, Any], key: str = "operator") -> Document:
    unsigned = {name: value for name, value in document.items() if name != "signatures"}
    return {**unsigned, "signatures": [entry("key", key, receipt_payload(unsigned))]}


def write_receipt(path: Path, document: Document) -> Path:
    path.write_bytes(json_file(document))
    return path
