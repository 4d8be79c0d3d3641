"""bets.csv by the block: thousands of lines are checked column by column, the plain rule names what is wrong.

`bets.read_bet` is the rule. What is here only knows quickly that a block breaks none of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import lt
from typing import BinaryIO, Protocol

from totalizator.engine.announced import Terms
from totalizator.engine.bets import HEADER, read_bet
from totalizator.engine.canonical import MOST_DIGITS
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.instants import is_on_calendar
from totalizator.engine.kinds import Kind, Kinds

BLOCK_BYTES = 1 << 18  # larger ones are given back to the system and taken again each time
MOST_LINE_BYTES = 1 << 24

TICKET_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-"
SALT_LETTERS = b"0123456789abcdef"
SALT_LENGTH = 32
ANY_DIGIT = bytes.maketrans(b"0123456789", b"0000000000")
DIGITS = b"0123456789"
TIME_FORM = b"0000-00-00T00:00:00.000000Z"
TENS_OF_SECONDS = TIME_FORM.rindex(b":") + 1


class Hash(Protocol):
    """What takes the bytes of the file as they are read."""

    def update(self, data: bytes, /) -> None:
        """Take the next bytes."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The lines of one block, all of them right."""

    tickets: list[bytes]
    kinds: list[Kind]
    stakes: list[bytes]
    times: list[bytes]
    last: bytes
    """The latest of the times."""


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
        self._minutes: set[bytes] = set()
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
        cells = block.replace(b"\n", b"\n,").split(b",")
        cells.pop()  # what the split finds after the last line
        if len(cells) != 6 * block.count(b"\n"):
            return None
        tickets, selections, stakes, lines, times, salts = (cells[place::6] for place in range(6))
        last = max(times)
        if not (self._in_order(tickets) and self._in_time(times, last) and _end_with_salts(salts)):
            return None
        try:
            kinds = self._kinds.of_all(selections)
        except EngineError:
            return None
        right = lines == [kind.lines_text for kind in kinds] and self._stakes_right(stakes, kinds)
        return Columns(tickets=tickets, kinds=kinds, stakes=stakes, times=times, last=last) if right else None

    def _in_order(self, tickets: list[bytes]) -> bool:
        if b"".join(tickets).translate(None, TICKET_LETTERS):
            return False
        return self._last_ticket < tickets[0] and all(map(lt, tickets, tickets[1:]))

    def _in_time(self, times: list[bytes], last: bytes) -> bool:
        joined = b",".join(times)
        if joined.translate(ANY_DIGIT) != b",".join([TIME_FORM] * len(times)):
            return False
        new_minutes = {time[:16] for time in times} - self._minutes
        if not all(is_on_calendar(minute.decode()) for minute in new_minutes) or max(
            joined[TENS_OF_SECONDS :: len(TIME_FORM) + 1]
        ) > ord("5"):
            return False
        self._minutes |= new_minutes
        return self._opens <= min(times) and last < self._closes

    def _stakes_right(self, stakes: list[bytes], kinds: list[Kind]) -> bool:
        if self._terms.price.line is not None:
            return stakes == [kind.stake_text for kind in kinds]
        least, most = self._terms.price.least, self._terms.price.most
        assert least is not None
        assert most is not None
        if b"".join(stakes).translate(None, DIGITS) or min(stakes) < b"1" or max(map(len, stakes)) > MOST_DIGITS:
            return False
        amounts = list(map(int, stakes))
        if min(amounts) < least or max(amounts) > most:
            return False
        return not any(amount % kind.lines for amount, kind in zip(amounts, kinds, strict=True))

    def _name_fault(self, block: bytes) -> None:
        """Read line by line with the plain rule, which raises at the first fault."""
        after = self._last_ticket.decode()
        for number, line in enumerate(block.split(b"\n")[:-1], start=self._next_line):
            after = read_bet(self._terms, line, number, after=after).ticket


def _end_with_salts(ends: list[bytes]) -> bool:
    """Tell whether each is a salt and the newline of its line: then no line has more fields than its own."""
    joined = b"".join(ends)
    return (
        set(map(len, ends)) == {SALT_LENGTH + 1}
        and not joined[SALT_LENGTH :: SALT_LENGTH + 1].strip(b"\n")
        and len(joined.translate(None, SALT_LETTERS)) == len(ends)
    )
