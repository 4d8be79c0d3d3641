"""One pass over bets.csv: every line checked, counted, and set aside where it is late or cancelled (D-16, ¶29)."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from totalizator.engine.announced import Terms
from totalizator.engine.canonical import digest_name
from totalizator.engine.columns import Checker, Columns, blocks
from totalizator.engine.kinds import Kind, Kinds
from totalizator.engine.matching import Matcher
from totalizator.engine.tally import LevelTally


class Tree(Protocol):
    """What takes the lines as they are counted."""

    def add_lines(self, block: bytes) -> None:
        """Append every line of a block of whole lines."""


@dataclass(frozen=True, slots=True)
class BetCount:
    """What a pass found."""

    digest: str
    count: int
    lines: int
    turnover: int
    refunds: int
    late: tuple[str, ...]
    cancelled: tuple[str, ...]
    levels: Mapping[str, LevelTally]
    kinds: tuple[Kind, ...]
    last: str
    """When the last bet was registered; empty without bets."""
    places: "array[int]"
    """For each bet of the file the place of its kind in `kinds`; 0 when it is on no level or goes back."""


def count_bets(
    terms: Terms,
    file: BinaryIO,
    *,
    matcher: Matcher | None = None,
    started_at: str | None = None,
    cancelled: Collection[str] = (),
    tree: Tree | None = None,
) -> BetCount:
    """Check and count every bet; give each line to the tree, if there is one.

    :raises EngineError: for the first line that breaks a rule.
    """
    counter = _Counter(terms, matcher, started_at, cancelled)
    hashed = hashlib.sha256()
    for block in blocks(file, hashed):
        counter.add(block)
        if tree is not None:
            tree.add_lines(block)
    return counter.counted(digest_name(hashed.digest()))


class _Counter:
    """The running sums of a pass."""

    def __init__(
        self, terms: Terms, matcher: Matcher | None, started_at: str | None, cancelled: Collection[str]
    ) -> None:
        self._terms = terms
        self._kinds = Kinds(terms, matcher)
        self._checker = Checker(terms, self._kinds)
        self._started = None if started_at is None else started_at.encode()
        self._to_cancel = frozenset(ticket.encode("utf-8", "replace") for ticket in cancelled)
        self._registered: Counter[Kind] = Counter()
        self._set_aside: Counter[Kind] = Counter()
        self._turnover = self._refunds = 0
        self._last = b""
        self._late: list[str] = []
        self._cancelled: list[str] = []
        self._stakes: dict[str, Counter[int]] = {level.code: Counter() for level in terms.levels}
        self._places = array("I")

    def add(self, block: bytes) -> None:
        """Count the lines of one block."""
        columns = self._checker.check(block)
        self._last = max(self._last, columns.last)
        self._registered.update(columns.kinds)
        if self._terms.price.line is None:
            self._turnover += sum(map(int, columns.stakes))
        self._put_aside(columns)
        if self._terms.price.line is None:
            self._count_stakes(columns)
        self._places.extend([kind.place for kind in columns.kinds])

    def _put_aside(self, columns: Columns) -> None:
        """Take late and cancelled bets out of play; a bet that is both stands under cancelled."""
        aside: dict[int, list[str]] = {}
        if self._started is not None and columns.last >= self._started:
            aside |= {n: self._late for n, time in enumerate(columns.times) if time >= self._started}
        if self._to_cancel:
            aside |= {n: self._cancelled for n, ticket in enumerate(columns.tickets) if ticket in self._to_cancel}
        for n in sorted(aside):
            aside[n].append(columns.tickets[n].decode())
            self._refunds += int(columns.stakes[n])
            self._set_aside[columns.kinds[n]] += 1
            columns.kinds[n] = self._kinds.nothing

    def _count_stakes(self, columns: Columns) -> None:
        """Count winning stakes one by one, as players chose them; a fixed price is counted by kind at the end."""
        for kind, stake in zip(columns.kinds, columns.stakes, strict=True):
            if kind.levels:
                each = int(stake) // kind.lines
                for level, lines in kind.levels:
                    self._stakes[level][each * lines] += 1

    def counted(self, digest: str) -> BetCount:
        """Give what was found."""
        price = self._terms.price.line
        lines = dict.fromkeys(self._stakes, 0)
        for kind, count in (self._registered - self._set_aside).items():
            for level, on_level in kind.levels:
                lines[level] += on_level * count
                if price is not None:
                    self._stakes[level][price * on_level] += count
        all_lines = sum(kind.lines * count for kind, count in self._registered.items())
        return BetCount(
            digest=digest,
            count=len(self._places),
            lines=all_lines,
            turnover=self._turnover if price is None else price * all_lines,
            refunds=self._refunds,
            late=tuple(self._late),
            cancelled=tuple(self._cancelled),
            levels={level: _level_tally(lines[level], stakes) for level, stakes in self._stakes.items()},
            kinds=tuple(self._kinds.by_place),
            last=self._last.decode(),
            places=self._places,
        )


def _level_tally(lines: int, stakes: Counter[int]) -> LevelTally:
    total = sum(stake * count for stake, count in stakes.items())
    return LevelTally(lines=lines, stakes=total, bets=dict(stakes))
