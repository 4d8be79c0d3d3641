"""winnings.csv: what every winning bet won, in the order of bets.csv, a bet's rows from the highest level down."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from typing import BinaryIO

from totalizator.engine.columns import blocks
from totalizator.engine.counting import BetCount
from totalizator.engine.statement import Statement

HEADER = b"ticket,level,lines,amount\n"
REMEMBERED_STAKES = 65_536


def winning_rows(file: BinaryIO, count: BetCount, statement: Statement) -> Iterator[bytes]:
    """Write winnings.csv block by block from a second reading of bets.csv; what was matched is not matched again."""
    yield HEADER
    if statement.returned:
        return
    levels = {level.code: level for level in statement.levels if level.live}

    @lru_cache(maxsize=REMEMBERED_STAKES)
    def row_ends(place: int, stake: bytes) -> tuple[bytes, ...]:
        kind = count.kinds[place]
        each = int(stake) // kind.lines
        return tuple(
            f",{level},{lines},{levels[level].winning_of(lines, each * lines)}\n".encode()
            for level, lines in kind.levels
            if level in levels
        )

    first = 0
    for block in blocks(file):
        lines = block.split(b"\n")[:-1]
        places = count.places[first : first + len(lines)]
        first += len(lines)
        rows = []
        for line, place in compress(zip(lines, places, strict=True), places):
            ticket, _, stake, _ = line.split(b",", 3)
            rows.extend([ticket + end for end in row_ends(place, stake)])
        yield b"".join(rows)
