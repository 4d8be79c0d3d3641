"""Writing the public log in the transaction of the act itself: neither is ever there without the other (X6)."""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings

from pools.locks import lock_public_log
from pools.models import LogEntry, LogHead, LogKind, LogNode
from pools.queries.log_nodes import nodes_at
from pools.services.log_heads import places_wanted, refuse_contradiction
from pools.services.operator_keys import register_operator_key
from totalizator.core import clock
from totalizator.core.signing import operator_sign
from totalizator.engine.canonical import canonical_json, digest, parse_json
from totalizator.engine.log import entry_line, head_document, head_payload, read_line
from totalizator.engine.merkle import leaf_hash
from totalizator.engine.merkle_proofs import Place, hash_of_subtrees, subtrees_filled


def append_to_log(*, kind: str, subject: str, document: bytes, at: datetime, version: int = 1) -> LogEntry:
    """Write down for good that `document` was published, and sign the head over all there is by now.

    Call it as the last thing of the act's transaction: from here to the commit nobody else can append. It takes time in
    log2 of the log's length.

    :param kind: a `LogKind`
    :param subject: what the document is about, of a pool's documents the pool's code
    :param document: the exact bytes of the file as it is published
    :param at: when the act took place; a line is never dated before the head in front of it
    :param version: of the document, from 1
    :raises EngineError: for a subject that no line can have, such as one with spaces
    :raises DomainError: LOG_BROKEN when the log contradicts its newest head, or one that the journal knows
    """
    lock_public_log()
    last = LogHead.objects.order_by("-size").first()
    index = last.size if last is not None else 0
    nodes = nodes_at(places_wanted(index))
    refuse_contradiction(last, nodes)
    register_operator_key()
    dated = max(at, last.at) if last is not None else at
    named = digest(document)
    line = entry_line(index=index, kind=LogKind(kind), subject=subject, version=version, digest=named, at=dated)
    read_line(line, where="public log")
    entry = LogEntry.objects.create(
        index=index, kind=kind, subject=subject, version=version, digest=named, at=dated, line=line.decode()
    )
    root = _grow(index, leaf_hash(line), nodes)
    _sign_head(last, size=index + 1, root=root, at=max(clock.now(), dated))
    return entry


def _grow(size: int, leaf: bytes, stored: Mapping[Place, bytes]) -> bytes:
    """Add a leaf to the tree of `size` leaves; store the subtrees that it fills; return the root."""
    filled = subtrees_filled(size, leaf, stored)
    LogNode.objects.bulk_create(
        [LogNode(level=level, position=position, hash=node) for (level, position), node in filled.items()]
    )
    nodes = {**stored, **filled}
    return hash_of_subtrees(nodes.__getitem__, (0, size + 1))


def _sign_head(last: LogHead | None, *, size: int, root: bytes, at: datetime) -> None:
    """Sign and store a head. The log keeps the name of its first head, whatever the operator is called later."""
    name = settings.OPERATOR_NAME if last is None else parse_json(last.document_text.encode(), where="head")["log"]
    document = head_document(log=name, size=size, root=root, at=at)
    signed = {**document, "signatures": [operator_sign(head_payload(document))]}
    LogHead.objects.create(size=size, at=at, root=root.hex(), document_text=canonical_json(signed).decode())
