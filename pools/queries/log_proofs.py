"""Proofs about the public log, each out of one query for stored subtrees (X6)."""

import json
from typing import Any

from pools.models import LogEntry, LogHead
from pools.queries.log_nodes import hashes_of
from totalizator.engine.merkle_proofs import consistency_ranges, inclusion_ranges


def newest_head() -> LogHead | None:
    """Return the head over all there is."""
    return LogHead.objects.order_by("-size").first()


def head_shown(head: LogHead) -> dict[str, Any]:
    """Return a head as it was signed."""
    document: dict[str, Any] = json.loads(head.document_text)
    return document


def entry_shown(entry: LogEntry) -> dict[str, Any]:
    """Return a line as an object; its canonical form is the line again."""
    document: dict[str, Any] = json.loads(entry.line)
    return document


def inclusion_proof(entry: LogEntry, head: LogHead) -> dict[str, Any]:
    """Return a line, its path to the head's root, and the head, which has the line: a receipt's member `log`."""
    path = hashes_of(inclusion_ranges(entry.index, head.size))
    return {"entry": entry_shown(entry), "path": [node.hex() for node in path], "head": head_shown(head)}


def growth_proof(first: LogHead, second: LogHead) -> dict[str, Any]:
    """Return two heads, the smaller first, and the path that proves one grew out of the other (`verify-growth`)."""
    path = hashes_of(consistency_ranges(first.size, second.size))
    return {"first": head_shown(first), "second": head_shown(second), "path": [node.hex() for node in path]}
