"""bets.csv, written from the rows: the one place where a stored bet becomes its public line.

The lines are what the commitment seals and what the bundle publishes, so both are made here, in one pass over a COPY,
by blocks of some thousand lines.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pools.models import Bet, Pool
from pools.snapshots.pool_archives import archived_line, is_archived
from totalizator.core.copying import copy_blocks
from totalizator.engine.announced import Condition, Terms
from totalizator.engine.bets import HEADER
from totalizator.engine.coupon import coupon_from_bits

# Enough conditions to make few pieces of a coupon, few enough for each piece's texts to be remembered.
PIECE_BITS = 15
MOST_REMEMBERED = 1 << PIECE_BITS

# Tickets in the order of their bytes, whatever order the database's own language has.
_BETS = """
COPY (
    SELECT ticket, bits,
           stake || ',' || lines || ','
           || to_char(registered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ','
           || encode(salt, 'hex')
    FROM pools_bet WHERE {which} ORDER BY ticket COLLATE "C"
) TO STDOUT
"""


def bet_blocks(pool: Pool) -> Generator[bytes, None, None]:
    """Yield bets.csv in blocks of whole lines, the header first; constant memory."""
    yield HEADER + b"\n"
    yield from _blocks(pool, "pool_id = %s", [pool.pk])


def bet_lines(pool: Pool) -> Iterator[bytes]:
    """Yield the lines of bets.csv, each with its newline, the header first; constant memory."""
    for block in bet_blocks(pool):
        yield from block.splitlines(keepends=True)


def bets_between(pool: Pool, first: str, before: str | None) -> Iterator[bytes]:
    """Yield the lines of the bets from ticket `first` on and before another, or to the end; without newlines.

    Tickets of a pool have one prefix, one length and capitals: their index has the order of bytes in any language.
    """
    which = "pool_id = %s AND ticket >= %s"
    if before is None:
        blocks = _blocks(pool, which, [pool.pk, first])
    else:
        blocks = _blocks(pool, f"{which} AND ticket < %s", [pool.pk, first, before])
    for block in blocks:
        yield from block.splitlines()


def bet_line(bet: Bet) -> bytes:
    """Return the line of one bet, without its newline."""
    if is_archived(bet.pool):
        return archived_line(bet.pool, bet.ticket)
    (line,) = _blocks(bet.pool, "pool_id = %s AND ticket = %s", [bet.pool_id, bet.ticket])
    return line[:-1]


def write_bets_csv(pool: Pool, path: Path) -> None:
    """Write the pool's bets.csv to `path`."""
    with path.open("wb") as file:
        file.writelines(bet_blocks(pool))


def _blocks(pool: Pool, which: str, parameters: Sequence[object]) -> Iterator[bytes]:
    pieces = _pieces(pool.terms)
    for rows in copy_blocks(_BETS.format(which=which), parameters):
        yield _lines(rows, pieces)


def _lines(rows: bytes, pieces: "Sequence[tuple[int, int, _PieceTexts]]") -> bytes:
    """Put the texts of selections in the place of bits, in all rows of a block at once.

    A line is as many cells: ticket, comma, the texts of the pieces with a semicolon between, comma, the rest.
    """
    columns = rows.replace(b"\n", b"\n\t").split(b"\t")[:-1]
    tickets, coupons, rests = columns[0::3], columns[1::3], columns[2::3]
    width = 2 * len(pieces) + 3
    cells = [b";"] * (width * len(tickets))
    cells[0::width] = tickets
    cells[1::width] = cells[width - 2 :: width] = [b","] * len(tickets)
    for place, (start, stop, texts) in enumerate(pieces, start=1):
        cells[2 * place :: width] = [texts[bits[start:stop]] for bits in coupons]
    cells[width - 1 :: width] = rests
    return b"".join(cells)


class _PieceTexts(dict[bytes, bytes]):
    """The texts of a few neighbouring conditions by their bits, each worked out when first met."""

    def __init__(self, terms: Terms, conditions: tuple[Condition, ...]) -> None:
        super().__init__()
        self._terms = replace(terms, conditions=conditions)

    def __missing__(self, bits: bytes) -> bytes:
        text = coupon_from_bits(self._terms, bits.decode()).selections.encode()
        if len(self) < MOST_REMEMBERED:
            self[bits] = text
        return text


def _pieces(terms: Terms) -> list[tuple[int, int, _PieceTexts]]:
    """Cut the conditions into pieces: where each one's bits start and stop, and their texts."""
    pieces: list[tuple[int, int, _PieceTexts]] = []
    start = stop = 0
    held: list[Condition] = []
    for condition in terms.conditions:
        width = len(condition.outcomes)
        if held and stop + width - start > PIECE_BITS:
            pieces.append((start, stop, _PieceTexts(terms, tuple(held))))
            start, held = stop, []
        held.append(condition)
        stop += width
    return [*pieces, (start, stop, _PieceTexts(terms, tuple(held)))]
