"""The public log rebuilt from all its lines, and held to its own heads and to those kept elsewhere (X6)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pools.models import LogEntry, LogHead
from pools.queries.log_nodes import hashes_of
from totalizator.engine.errors import EngineError
from totalizator.engine.log import entry_line, parse_head
from totalizator.engine.merkle import MerkleTree, leaf_hash

_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class KnownHead:
    """A head that is known from elsewhere; of a printed one the root is only its beginning."""

    size: int
    root: str
    where: str


def broken_in_log(known: Iterable[KnownHead] = ()) -> Iterator[str]:
    """Name what does not hold, the first of its kind: lines, heads, the stored tree, the known heads.

    It reads every line and every head once, in memory that does not grow with them; run it on one snapshot.
    """
    of_size: dict[int, list[KnownHead]] = {}
    for head in known:
        of_size.setdefault(head.size, []).append(head)
    tree = MerkleTree()
    yield from _lines_and_heads(tree, of_size)
    for heads in of_size.values():  # what was met is taken out
        for head in heads:
            yield f"{head.where}: a head of {head.size} lines, the log has {tree.count}: lines are missing"
    if tree.count and not _stored_tree_leads_to(tree):
        yield f"the stored tree does not lead to the root over {tree.count} lines"


def _lines_and_heads(tree: MerkleTree, known: dict[int, list[KnownHead]]) -> Iterator[str]:
    """Add line by line to the tree, and compare it with the head of each size."""
    lines = LogEntry.objects.order_by("index").iterator(chunk_size=_AT_ONCE)
    heads = LogHead.objects.order_by("size").iterator(chunk_size=_AT_ONCE)
    told = False
    for entry in lines:
        number = tree.count + 1
        if entry.index != tree.count:
            yield f"line {number} is missing"
            return
        if not told and _line_of(entry) != entry.line:
            told = True
            yield f"line {number}: its columns say otherwise"
        tree.add(leaf_hash(entry.line.encode()))
        root = tree.root().hex()
        head = next(heads, None)
        if head is None or head.size != number:
            yield f"the head of {number} lines is missing"
            return
        if not told and not _is_head(head, root):
            told = True
            yield f"the head of {number} lines is not of these lines"
        for kept in known.pop(number, ()):
            if not root.startswith(kept.root):
                yield f"{kept.where}: another root over {number} lines: a split view"
    head = next(heads, None)
    if head is not None:
        yield f"a head of {head.size} lines, the log has {tree.count}: lines are missing"


def _line_of(entry: LogEntry) -> str:
    try:
        return entry_line(
            index=entry.index,
            kind=entry.kind,
            subject=entry.subject,
            version=entry.version,
            digest=entry.digest,
            at=entry.at,
        ).decode()
    except EngineError:
        return ""


def _is_head(head: LogHead, root: str) -> bool:
    """Tell whether row and signed text are of these lines; the signature is checked of the newest head alone."""
    try:
        said = parse_head(head.document_text.encode(), where="head")
    except EngineError:
        return False
    return head.root == root and said.root.hex() == root and said.size == head.size


def _stored_tree_leads_to(tree: MerkleTree) -> bool:
    try:
        return hashes_of([(0, tree.count)]) == [tree.root()]
    except KeyError:
        return False
