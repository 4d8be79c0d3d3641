"""bets.csv by the block: thousands of lines are checked column by column, the plain rule names what is wrong.

`bets.read_bet` is the rule. What is here only knows quickly that a block breaks none of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from operator import lt
from typing import BinaryIO, Protocol

from totalizator.engine.announced import Terms
from totalizator.engine.bets import HEADER, read_bet
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.kinds import Kind, Kinds

BLOCK_BYTES = 1 << 20
MOST_LINE_BYTES = 1 << 24

LINE = re.compile(
    rb"^([0-9A-Z-]+),([^,\n]+),([1-9][0-9]{0,17}),([1-9][0-9]{0,17}),"
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z),[0-9a-f]{32}\n",
    re.MULTILINE,
)


class Hash(Protocol):
    """What takes the bytes of the file as they are read."""

    def update(self, data: bytes, /) -> None:
        """Take the next bytes."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The lines of one block, all of them right."""

    tickets: tuple[bytes, ...]
    kinds: list[Kind]
    stakes: tuple[bytes, ...]
    times: tuple[bytes, ...]


def blocks(file: BinaryIO, hashed: Hash | None = None) -> Iterator[bytes]:
    """Go through the lines after the header in blocks of whole lines, each with its newline.

    :raises EngineError: BAD_CSV for another header or a last line without a newline.
    """
    header = file.readline(len(HEADER) + 1)
    if hashed is not None:
        hashed.update(header)
    if header != HEADER + b"\n":
        raise EngineError("BAD_CSV", "bets.csv, line 1", f"{HEADER.decode()} and LF, not {shown(header)}")
    rest = b""
    while read := file.read(BLOCK_BYTES):
        if hashed is not None:
            hashed.update(read)
        end = read.rfind(b"\n") + 1
        if end:
            yield rest + read[:end]
            rest = read[end:]
        else:
            rest += read
        if len(rest) > MOST_LINE_BYTES:
            raise EngineError("BAD_CSV", "bets.csv", f"lines of at most {MOST_LINE_BYTES} bytes")
    if rest:
        raise EngineError("BAD_CSV", "bets.csv, last line", "LF at its end")


class Checker:
    """Checks block after block of one bets.csv."""

    def __init__(self, terms: Terms, kinds: Kinds) -> None:
        self._terms = terms
        self._kinds = kinds
        self._opens, self._closes = terms.opens_at.encode(), terms.closes_at.encode()
        self._days: set[bytes] = set()
        self._last_ticket = b""
        self._next_line = 2

    def check(self, block: bytes) -> Columns:
        """Hold every line of a block to the rules.

        :raises EngineError: for the first line that breaks one, as `read_bet` says it.
        """
        columns = self._columns(block)
        if columns is None:
            self._name_fault(block)
            raise AssertionError(f"no fault found from line {self._next_line} of bets.csv")
        self._last_ticket = columns.tickets[-1]
        self._next_line += len(columns.tickets)
        return columns

    def _columns(self, block: bytes) -> Columns | None:
        rows = LINE.findall(block)
        if len(rows) != block.count(b"\n"):
            return None
        tickets, selections, stakes, lines, times = zip(*rows, strict=True)
        if not (self._in_order(tickets) and self._in_time(times)):
            return None
        try:
            kinds = self._kinds.of_all(selections)
        except EngineError:
            return None
        right = lines == tuple([kind.lines_text for kind in kinds]) and self._stakes_right(stakes, kinds)
        return Columns(tickets=tickets, kinds=kinds, stakes=stakes, times=times) if right else None

    def _in_order(self, tickets: tuple[bytes, ...]) -> bool:
        return self._last_ticket < tickets[0] and all(map(lt, tickets, tickets[1:]))

    def _in_time(self, times: tuple[bytes, ...]) -> bool:
        new_days = {time[:10] for time in times} - self._days
        if not all(map(_is_day, new_days)):
            return False
        self._days |= new_days
        return self._opens <= min(times) and max(times) < self._closes

    def _stakes_right(self, stakes: tuple[bytes, ...], kinds: list[Kind]) -> bool:
        if self._terms.price.line is not None:
            return stakes == tuple([kind.stake_text for kind in kinds])
        least, most = self._terms.price.least, self._terms.price.most
        assert least is not None
        assert most is not None
        amounts = list(map(int, stakes))
        if min(amounts) < least or max(amounts) > most:
            return False
        return not any(amount % kind.lines for amount, kind in zip(amounts, kinds, strict=True))

    def _name_fault(self, block: bytes) -> None:
        """Read line by line with the plain rule, which raises at the first fault."""
        after = self._last_ticket.decode()
        for number, line in enumerate(block.split(b"\n")[:-1], start=self._next_line):
            after = read_bet(self._terms, line, number, after=after).ticket


def _is_day(text: bytes) -> bool:
    try:
        date.fromisoformat(text.decode())
    except ValueError:
        return False
    return True
