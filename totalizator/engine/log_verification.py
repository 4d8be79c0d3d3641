"""Verifying the public log: its lines lead to its head, and to every older head that somebody kept (X6).

The file has the lines and, as its last line, the signed head. A head that leads elsewhere is a *split view*: the
operator has shown two histories, and both signatures prove it.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.fields import Fields, items
from totalizator.engine.log import LogEntry, LogHead, hash_bytes, parse_head, read_line
from totalizator.engine.log_bundles import LoggedBundle
from totalizator.engine.merkle import MerkleTree, leaf_hash
from totalizator.engine.merkle_proofs import verify_consistency
from totalizator.engine.signatures import LOG, Keys, parse_keys
from totalizator.engine.verdict import Verdict
from totalizator.engine.witness import need_operator

NOT_CHECKED = "signatures not checked"
ONCE = ("commitment", "protocol", "settlement", "correction")
"""Of each version of these one is published, of a commitment one at all: a second is another history (X6)."""


def verify_log(
    log: Path, *, keys: bytes | None = None, older: Sequence[Path] = (), bundles: Sequence[Path] = ()
) -> Verdict:
    """Check a whole log; `older` are files with a head each, `bundles` folders that must be in the log.

    :raises EngineError: for what cannot be read at all, and for wrong keys; what is wrong inside is the verdict.
    """
    public = None if keys is None else parse_keys(keys)
    kept = [(path.name, bundle.read_path(path, where=path.name)) for path in older]
    lines = bundle.read_path(log, where=log.name)
    try:
        logged = [LoggedBundle(folder) for folder in bundles]
        return Verdict(None, tuple(_Log(log.name, lines).notes(public, kept, logged)))
    except (Difference, EngineError) as error:
        return Verdict(str(error))


def verify_growth(proof: bytes, *, where: str, keys: bytes | None = None) -> Verdict:
    """Check without any lines that the second head of a proof has grown out of the first.

    :raises EngineError: for wrong keys.
    """
    public = None if keys is None else parse_keys(keys)
    try:
        grown = _check_growth(Fields(parse_json(proof, where=where), where, inner=False), where, public)
    except (Difference, EngineError) as error:
        return Verdict(str(error))
    return Verdict(None, (grown, NOT_CHECKED) if public is None else (grown,))


def _check_growth(fields: Fields, where: str, keys: Keys | None) -> str:
    first = fields.need("first", lambda value, at: read_head(value, at, keys))
    second = fields.need("second", lambda value, at: read_head(value, at, keys))
    path = fields.need("path", items(hash_bytes))
    fields.finish()
    _same_log(f"{where}, first", first, second)
    if not verify_consistency(first.size, second.size, first.root, second.root, path):
        view = "split view: " if first.size == second.size else ""
        raise Difference(f"{where}, path: {view}does not lead from {first.size} lines to {second.size}")
    return f"{first.size} lines grew to {second.size}"


def read_head(document: object, where: str, keys: Keys | None) -> LogHead:
    """Read a head and check its signature.

    :raises EngineError: for another form.
    :raises Difference: for a signature that is missing or wrong.
    """
    head = parse_head(document, where=where)
    assert isinstance(document, Mapping)
    need_operator(document, where, LOG, keys)
    return head


class _Log:
    """One log being verified."""

    def __init__(self, name: str, content: bytes) -> None:
        self._name = name
        *self._lines, last = content.split(b"\n")
        if last or not self._lines:
            raise Difference(f"{name}, line {len(self._lines) + 1}: the file ends before the line does")
        self._tree = MerkleTree()

    def notes(
        self, keys: Keys | None, kept: Sequence[tuple[str, bytes]], logged: Sequence[LoggedBundle]
    ) -> Iterator[str]:
        """Check everything; give what the reader of an OK must know."""
        head = self._head(keys)
        older = [(name, read_head(parse_json(text, where=name), name, keys)) for name, text in kept]
        for name, old in older:
            _same_log(name, old, head)
        for entry in self._entries(head, older):
            for folder in logged:
                folder.meet(entry)
        for folder in logged:
            yield from folder.notes(self._name)
        yield f"{head.size} lines, head of {head.at}"
        if keys is None:
            yield NOT_CHECKED

    def _head(self, keys: Keys | None) -> LogHead:
        where = f"{self._name}, line {len(self._lines)}"
        line = self._lines.pop()
        document = parse_json(line, where=where)
        head = read_head(document, where, keys)
        if canonical_json(document) != line:
            raise EngineError("BAD_VALUE", where, "keys sorted, no spaces")
        if head.size != len(self._lines):
            raise Difference(f"{where}, size: {head.size} in the head, {len(self._lines)} lines before it")
        return head

    def _entries(self, head: LogHead, older: Sequence[tuple[str, LogHead]]) -> Iterator[LogEntry]:
        """Read line by line; compare the root wherever a head was kept, and at the end."""
        met, before, split = dict[tuple[str, str, int], int](), "", ""
        for index, line in enumerate(self._lines):
            where = f"{self._name}, line {index + 1}"
            entry = read_line(line, where=where)
            if entry.index != index:
                raise Difference(f"{where}, index: {entry.index} in the line, {index} expected")
            if entry.at < before:
                raise Difference(f"{where}, at: {entry.at} is before the line above, {before}")
            named = (entry.kind, entry.subject, 1 if entry.kind == "commitment" else entry.version)
            if entry.kind in ONCE and met.setdefault(named, index) != index:
                raise Difference(
                    f"{where}: a second {entry.kind} of {shown(entry.subject)}, after that of line {met[named] + 1}"
                )
            before = entry.at
            self._tree.add(leaf_hash(line))
            for name, old in older:
                if not split and old.size == self._tree.count and old.root != self._tree.root():
                    split = f"{name}: split view: {_roots(old, self._tree.root())}"
            yield entry
        if self._tree.root() != head.root:
            raise Difference(f"{self._name}, line {head.size + 1}, root: {_roots(head, self._tree.root())}")
        if split:  # only now, as a log that does not lead to its own head is no second history, but a changed file
            raise Difference(split)
        if head.at < before:
            raise Difference(f"{self._name}, line {head.size + 1}, at: {head.at} is before the line above, {before}")


def _roots(head: LogHead, computed: bytes) -> str:
    return f"{head.root.hex()} in the head of {head.size} lines, {computed.hex()} computed from the lines"


def _same_log(name: str, old: LogHead, head: LogHead) -> None:
    """Refuse to compare heads of two logs, and a log that is shorter than it has been."""
    if old.log != head.log:
        raise Difference(f"{name}, log: a head of another log, {shown(old.log)}, not of {shown(head.log)}")
    if old.size > head.size:
        raise Difference(f"{name}, size: {old.size} lines then, {head.size} now: lines are gone, or this copy is older")
    if old.at > head.at:
        raise Difference(f"{name}, at: {old.at}, later than the longer log's head of {head.at}")
