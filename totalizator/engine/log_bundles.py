"""Finding a pool's bundle in the public log: its commitment, protocol, settlement, correction, in this order (X1)."""

from collections.abc import Iterator
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.difference import Difference
from totalizator.engine.errors import shown
from totalizator.engine.log import LogEntry
from totalizator.engine.manifest import file_digest
from totalizator.engine.result import parse_result
from totalizator.engine.terms import parse_terms

# By file, the kinds of lines that may tell of it, in the order in which they are logged.
LOGGED = {
    bundle.COMMITMENT: ("commitment",),
    bundle.RESULT: ("protocol", "correction"),
    bundle.MANIFEST: ("settlement", "correction"),
    bundle.CORRECTION: ("amendment",),
}


class LoggedBundle:
    """A bundle, and the lines of a log that were met so far and are of its files."""

    def __init__(self, folder: Path) -> None:
        terms = parse_terms(bundle.read_file(folder, bundle.TERMS))
        self._name = folder.name
        self._pool = terms.pool.code
        self._digests = {name: file_digest(folder, name) for name in LOGGED if bundle.is_there(folder, name)}
        self._lines: dict[str, LogEntry] = {}
        self._result: LogEntry | None = None
        self._settled_by: LogEntry | None = None
        self._started = None
        if bundle.RESULT in self._digests:
            self._started = parse_result(terms, bundle.read_file(folder, bundle.RESULT)).first_started_at

    def meet(self, entry: LogEntry) -> None:
        """Remember a line that is of a file of this bundle; the first one counts."""
        if entry.subject == self._pool:
            if entry.kind in LOGGED[bundle.RESULT]:
                self._result = entry
            elif entry.digest == self._digests.get(bundle.MANIFEST) and bundle.MANIFEST not in self._lines:
                self._settled_by = self._result
            for name, digest in self._digests.items():
                if entry.digest == digest and entry.kind in LOGGED[name]:
                    self._lines.setdefault(name, entry)

    def notes(self, log: str) -> Iterator[str]:
        """Hold the bundle to the lines that were met; give what is not there.

        :raises Difference: for a file that is not in the log, a wrong order, bets fixed only after the first start.
        """
        before, earlier = -1, ""
        for name in self._digests:
            entry = self._lines.get(name)
            if entry is None:
                raise Difference(f"{log}: has no line for {shown(self._name)}, {name}")
            if entry.index < before:
                raise Difference(f"{log}, line {entry.index + 1}: {name} of {self._pool} stands before {earlier}")
            before, earlier = entry.index, name
        result = self._lines.get(bundle.RESULT)
        if self._settled_by is not None and result is not None and self._settled_by != result:
            raise Difference(
                f"{log}, line {self._settled_by.index + 1}: {bundle.RESULT} of {self._pool} was corrected before it was"
                " settled, and this is not the corrected one"
            )
        commitment = self._lines.get(bundle.COMMITMENT)
        if commitment is not None and self._started is not None and commitment.at >= self._started:
            raise Difference(
                f"{log}, line {commitment.index + 1}, at: the bets of {self._pool} were fixed at {commitment.at},"
                f" not before the first start at {self._started}"
            )
        if commitment is not None:
            yield f"the bets of {self._pool} were fixed in line {commitment.index + 1}, at {commitment.at}"
        absent = [name for name in LOGGED if name not in self._digests and name in bundle.FILES]
        if absent:
            yield f"{self._name}: not there: {', '.join(absent)}"
