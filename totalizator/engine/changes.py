"""changed.csv: every ticket whose winning or returned stake a correction changes, and from what to what (H5)."""

from collections.abc import Iterator
from pathlib import Path

from totalizator.engine import bundle
from totalizator.engine.canonical import parse_json
from totalizator.engine.errors import EngineError
from totalizator.engine.settlement import open_bets

HEADER = b"ticket,kind,before,after\n"
ROWS_AT_ONCE = 4_096


def changed_rows(before: Path, after: Path) -> Iterator[bytes]:
    """Give changed.csv in parts: tickets by their bytes, of a ticket the winning first; in constant memory.

    :raises EngineError: for what cannot be read.
    """
    yield HEADER
    was, should = _Owed(before), _Owed(after)
    rows: list[bytes] = []
    with open_bets(before) as bets:
        next(bets, b"")
        for line in bets:
            ticket, _selections, stake, _rest = line.split(b",", 3)
            won, wins = was.won(ticket), should.won(ticket)
            if won != wins:
                rows.append(b"%b,winning,%d,%d\n" % (ticket, won, wins))
            back, goes_back = was.goes_back(ticket), should.goes_back(ticket)
            if back != goes_back:
                rows.append(b"%b,refund,%b,%b\n" % (ticket, stake if back else b"0", stake if goes_back else b"0"))
            if len(rows) >= ROWS_AT_ONCE:
                yield b"".join(rows)
                rows.clear()
    yield b"".join(rows)


class _Owed:
    """What one bundle owes on its tickets, asked in their order."""

    def __init__(self, folder: Path) -> None:
        tally, statement = (
            parse_json(bundle.read_file(folder, name), where=name) for name in (bundle.TALLY, bundle.STATEMENT)
        )
        self._everything = bool(tally.get("returned", False))
        self._back = {ticket.encode() for ticket in (*statement["late"], *statement["cancelled"])}
        self._rows = _totals(folder)
        self._next = next(self._rows, None)

    def won(self, ticket: bytes) -> int:
        """Return the winning of a ticket, over all levels, in kopecks."""
        if self._next is None or self._next[0] != ticket:
            return 0
        amount = self._next[1]
        self._next = next(self._rows, None)
        return amount

    def goes_back(self, ticket: bytes) -> bool:
        """Tell whether the ticket's stake is returned: a late or cancelled bet, or everything (¶29, ¶32, D-16)."""
        return self._everything or ticket in self._back


def _totals(folder: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the tickets of winnings.csv, each once with the sum of its rows."""
    try:
        with folder.joinpath(bundle.WINNINGS).open("rb") as file:
            next(file, b"")
            ticket, total = b"", 0
            for line in file:
                named, _level, _lines, amount = line.rstrip(b"\n").split(b",")
                if named != ticket:
                    if ticket:
                        yield ticket, total
                    ticket, total = named, 0
                total += int(amount)
            if ticket:
                yield ticket, total
    except OSError as error:
        raise bundle.missing(bundle.WINNINGS, error) from None
    except ValueError:
        raise EngineError("BAD_CSV", bundle.WINNINGS, "rows of ticket, level, lines and amount") from None
