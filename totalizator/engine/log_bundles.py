"""Finding a pool's bundle in the public log: its commitment, protocol, settlement, correction, in this order (X1).

What the log has of the pool up to the bundle's settlement, the bundle must have: without its commitment, bets that were
changed after the match would agree with themselves; a ticket that state.json calls cancelled has its line (¶29).
"""

from collections.abc import Iterator
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import parse_json
from totalizator.engine.difference import Difference
from totalizator.engine.errors import shown
from totalizator.engine.log import LogEntry
from totalizator.engine.manifest import file_digest
from totalizator.engine.result import parse_result
from totalizator.engine.state import parse_state
from totalizator.engine.terms import parse_terms

# By file, the kinds of lines that may tell of it, in the order in which they are logged.
LOGGED = {
    bundle.COMMITMENT: ("commitment",),
    bundle.RESULT: ("protocol", "correction"),
    bundle.MANIFEST: ("settlement", "correction"),
    bundle.CORRECTION: ("amendment",),
}
RESULTS = LOGGED[bundle.RESULT]


class LoggedBundle:
    """A bundle, and the lines of a log that were met so far and are of its files."""

    def __init__(self, folder: Path) -> None:
        terms = parse_terms(bundle.read_file(folder, bundle.TERMS))
        self._name = folder.name
        self._pool = terms.pool.code
        self._digests = {name: file_digest(folder, name) for name in LOGGED if bundle.is_there(folder, name)}
        self._lines: dict[str, LogEntry] = {}
        self._newest: dict[str, LogEntry] = {}
        """By kind, the newest line of the pool."""
        self._before_settled: dict[str, LogEntry] = {}
        """The same, as it was when the bundle's settlement was met."""
        self._cancelled_in_log: set[str] = set()
        self._previous_met = False
        self._started, self._previous = None, None
        if bundle.RESULT in self._digests:
            document = bundle.read_file(folder, bundle.RESULT)
            self._started = parse_result(terms, document).first_started_at
            protocol = parse_json(document, where=bundle.RESULT)["protocol"]
            self._previous = protocol.get("previous") if protocol.get("version", 1) == 1 else None
        has_state = bundle.is_there(folder, bundle.STATE)
        state = parse_state(terms, bundle.read_file(folder, bundle.STATE)) if has_state else None
        self._cancelled = frozenset(state.cancelled if state is not None else ())

    def meet(self, entry: LogEntry) -> None:
        """Remember a line that is of a file of this bundle; the first one counts."""
        if entry.kind in RESULTS and entry.digest == self._previous and bundle.RESULT not in self._lines:
            self._previous_met = True
        of_ticket = entry.subject in self._cancelled or entry.subject.rpartition("-")[0] == self._pool
        if entry.kind == "correction" and of_ticket and "settlement" not in self._newest:  # later: D-3
            self._cancelled_in_log.add(entry.subject)
        if entry.subject != self._pool:
            return
        for name, digest in self._digests.items():
            if entry.digest == digest and entry.kind in LOGGED[name] and name not in self._lines:
                self._lines[name] = entry
                if name == bundle.MANIFEST:
                    self._before_settled = dict(self._newest)
        self._newest["result" if entry.kind in RESULTS else entry.kind] = entry

    def notes(self, log: str) -> Iterator[str]:
        """Hold the bundle to the lines that were met; give what is not there.

        :raises Difference: for a file that is not in the log, a wrong order, bets fixed only after the first start, a
            settlement without what the log had of the pool by then.
        """
        before, earlier = -1, ""
        for name in self._digests:
            entry = self._lines.get(name)
            if entry is None:
                raise Difference(f"{log}: has no line for {shown(self._name)}, {name}")
            if entry.index < before:
                raise Difference(f"{log}, line {entry.index + 1}: {name} of {self._pool} stands before {earlier}")
            before, earlier = entry.index, name
        if self._previous is not None and not self._previous_met:
            raise Difference(f"{log}: before {bundle.RESULT} of {self._pool} there is no line of its previous protocol")
        commitment = self._lines.get(bundle.COMMITMENT)
        if commitment is not None and self._started is not None and commitment.at >= self._started:
            raise Difference(
                f"{log}, line {commitment.index + 1}, at: the bets of {self._pool} were fixed at {commitment.at},"
                f" not before the first start at {self._started}"
            )
        if bundle.MANIFEST in self._lines:
            self._need_what_was_settled(log)
        if commitment is not None:
            yield f"the bets of {self._pool} were fixed in line {commitment.index + 1}, at {commitment.at}"
        absent = [name for name in LOGGED if name not in self._digests and name in bundle.FILES]
        if absent:
            yield f"{self._name}: not there: {', '.join(absent)}"

    def _need_what_was_settled(self, log: str) -> None:
        for name, kind in ((bundle.COMMITMENT, "commitment"), (bundle.RESULT, "result")):
            logged = self._before_settled.get(kind)
            if logged is not None and name not in self._digests:
                raise Difference(f"{shown(self._name)}: {name} is not there, and is in {log}, line {logged.index + 1}")
        result = self._before_settled.get("result")
        if result is not None and result != self._lines.get(bundle.RESULT):
            raise Difference(
                f"{log}, line {result.index + 1}: {bundle.RESULT} of {self._pool} was corrected before it was settled,"
                " and this is not the corrected one"
            )
        for ticket in sorted(self._cancelled ^ self._cancelled_in_log):
            where = f"{log}: has no line" if ticket in self._cancelled else f"{bundle.STATE}, cancelled: is not told"
            raise Difference(f"{where} of the cancelled bet {ticket} before the settlement of {self._pool}")
