"""How many machines a day's bets need: arithmetic on measured costs, whole numbers and fractions only.

`python -m deploy.sizing` prints the tables of docs/sizing.md; a test holds the page to them.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

DAY, MEGA, GIGA, TERA = 86_400, 10**6, 10**9, 10**12


@dataclass(frozen=True)
class Rows:
    """What one bet leaves in a table: rows, and bytes of a row and of its index entries."""

    table: str
    rows: int
    heap: int
    indexes: int

    @property
    def bytes(self) -> int:
        """Bytes a bet."""
        return self.rows * (self.heap + self.indexes)


# Measured by `python -m bench.costs --bets 10000`: one transaction a bet, 15 conditions, from a game account, on two
# cores that many other programs shared. The times of processors are therefore upper bounds.
ROWS = (
    Rows("pools_bet", 1, 329, 96),
    Rows("accounts_transfer", 1, 103, 59),
    Rows("accounts_entry", 1, 86, 78),
    Rows("core_journalrecord", 1, 159, 86),
    Rows("core_replayedanswer", 1, 134, 94),
)


@dataclass(frozen=True)
class Costs:
    """What was measured of one bet; microseconds of a core, bytes."""

    rows: tuple[Rows, ...] = ROWS
    program_us: int = 1_807
    http_us: int = 1_100
    server_us: int = 3_463
    journal: int = 3_773
    settle_us: int = 13
    close_us: int = 6
    request: int = 1_400
    answer: int = 900
    published: int = 150

    @property
    def stored(self) -> int:
        """Bytes of rows and indexes that a bet leaves."""
        return sum(one.bytes for one in self.rows)


@dataclass(frozen=True)
class Day:
    """What is asked for, and how full machines may be."""

    bets: int = 100_000_000
    peak_share: Fraction = Fraction(1, 2)
    peak_seconds: int = 600
    winners: Fraction = Fraction(6, 100)
    winning_rows: int = 6
    settled_within: int = 900
    online_days: int = 92
    busy: Fraction = Fraction(1, 2)
    cores: int = 32
    disk: int = 15 * TERA
    journal_each_second: int = 400 * MEGA
    copies: int = 3
    journal_kept_days: int = 14
    compressed: Fraction = Fraction(1, 3)
    costs: Costs = field(default_factory=Costs)

    @property
    def peak(self) -> int:
        """Bets a second in the last minutes before the closing."""
        return ceil(self.bets * self.peak_share / self.peak_seconds)

    @property
    def web_cores(self) -> int:
        """Cores that web processes need at the peak."""
        return self._cores(self.peak, self.costs.program_us + self.costs.http_us)

    @property
    def web_machines(self) -> int:
        """Machines for the web, and one that may fail."""
        return ceil(Fraction(self.web_cores, self.cores)) + 1

    @property
    def server_cores(self) -> int:
        """Cores that the database's primaries need at the peak."""
        return self._cores(self.peak, self.costs.server_us)

    @property
    def journal_rate(self) -> int:
        """Bytes of journal (WAL) a second at the peak."""
        return self.peak * self.costs.journal

    @property
    def stored_daily(self) -> int:
        """Bytes that a day's bets and winnings leave; a winning's rows are taken to be as large as a bet's."""
        each = Fraction(self.costs.stored, len(self.costs.rows))
        return ceil(self.bets * (self.costs.stored + self.winners * self.winning_rows * each))

    @property
    def online(self) -> int:
        """Bytes of all days whose pools are not archived yet."""
        return self.stored_daily * self.online_days

    @property
    def by_cores(self) -> int:
        """Distributed workers that the cores ask for."""
        return ceil(Fraction(self.server_cores, self.cores))

    @property
    def by_journal(self) -> int:
        """Distributed workers that the journal asks for."""
        return ceil(Fraction(self.journal_rate, self.journal_each_second))

    @property
    def by_disk(self) -> int:
        """Distributed workers that the rows ask for; a third of a disk stays free."""
        return ceil(Fraction(self.online * 3, self.disk * 2))

    @property
    def workers(self) -> int:
        """Distributed workers (Citus), each a primary with its standbys."""
        return max(self.by_cores, self.by_journal, self.by_disk)

    @property
    def settling_cores(self) -> int:
        """Cores with which all of the day's pools are closed and settled in time."""
        return self._cores(Fraction(self.bets, self.settled_within), self.costs.settle_us + self.costs.close_us)

    @property
    def archive(self) -> int:
        """Bytes of copies and journal in the archive: a full copy, and the journal of so many days."""
        return ceil((self.online + self.bets * self.costs.journal * self.journal_kept_days) * self.compressed)

    @property
    def network_in(self) -> int:
        """Bits a second that the public sends at the peak."""
        return 8 * self.peak * self.costs.request

    @property
    def network_out(self) -> int:
        """Bits a second that the public gets at the peak."""
        return 8 * self.peak * self.costs.answer

    @property
    def on_one_server(self) -> int:
        """Bets a day, with the same peak, that one primary of this size takes."""
        a_second = int(self.cores * self.busy * MEGA / self.costs.server_us)
        return int(a_second * self.peak_seconds / self.peak_share)

    def _cores(self, a_second: int | Fraction, microseconds: int) -> int:
        return ceil(Fraction(a_second * microseconds, MEGA) / self.busy)


def costs_table(costs: Costs) -> str:
    """Return the table of what a bet leaves."""
    lines = ["| table | rows | bytes of a row | of its indexes | a bet |", "|---|---:|---:|---:|---:|"]
    lines += [f"| `{one.table}` | {one.rows} | {one.heap} | {one.indexes} | {one.bytes} |" for one in costs.rows]
    return "\n".join([*lines, f"| together | {sum(one.rows for one in costs.rows)} | | | {costs.stored} |"])


def machines_table(days: tuple[Day, ...]) -> str:
    """Return the table of what days of different sizes need, a column for each."""
    rows: tuple[tuple[str, Callable[[Day], str]], ...] = (
        ("bets a second at the peak", lambda day: f"{day.peak:,}"),
        ("cores of the web", lambda day: f"{day.web_cores:,}"),
        ("machines of the web", lambda day: f"{day.web_machines:,}"),
        ("cores of the primaries", lambda day: f"{day.server_cores:,}"),
        ("journal at the peak, MB/s", lambda day: f"{day.journal_rate // MEGA:,}"),
        ("rows of a day, GB", lambda day: f"{day.stored_daily // GIGA:,}"),
        ("rows on line, TB", lambda day: _tenths(day.online * 10 // TERA)),
        ("Citus workers: by cores", lambda day: f"{day.by_cores:,}"),
        ("by journal", lambda day: f"{day.by_journal:,}"),
        ("by disk", lambda day: f"{day.by_disk:,}"),
        ("**Citus workers**", lambda day: f"**{day.workers:,}**"),
        ("machines of the database", lambda day: f"{(day.workers + (day.workers > 1)) * day.copies:,}"),
        ("cores that close and settle", lambda day: f"{day.settling_cores:,}"),
        ("archive, TB", lambda day: f"{ceil(Fraction(day.archive, TERA)):,}"),
        ("from the public, Mbit/s", lambda day: f"{day.network_in // MEGA:,}"),
        ("to the public, Mbit/s", lambda day: f"{day.network_out // MEGA:,}"),
        ("bundles of a day, GB", lambda day: f"{day.bets * day.costs.published // GIGA:,}"),
    )
    heads = " | ".join(f"{day.bets:,} bets" for day in days)
    lines = [f"| a day of | {heads} |", "|---|" + "---:|" * len(days)]
    lines += [f"| {name} | {' | '.join(of(day) for day in days)} |" for name, of in rows]
    return "\n".join(lines)


def what_if_table(days: tuple[tuple[str, Day], ...]) -> str:
    """Return the table of what each change of the measured costs would save."""
    lines = ["| if | machines of the web | Citus workers | one server takes, bets a day |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {day.web_machines:,} | {day.workers:,} | {day.on_one_server:,} |" for name, day in days]
    return "\n".join(lines)


def _tenths(number: int) -> str:
    return f"{number // 10:,}.{number % 10}"


DAYS = tuple(Day(bets=bets) for bets in (1_000_000, 10_000_000, 100_000_000))
CHANGES = (
    ("as measured", Day()),
    ("a bet costs the server 1,000 µs", Day(costs=Costs(server_us=1_000))),
    ("and the program 900 µs, with 300 µs of HTTP", Day(costs=Costs(server_us=1_000, program_us=900, http_us=300))),
    ("a fifth of the day comes in the last 10 minutes", Day(peak_share=Fraction(1, 5))),
)


def page_tables() -> dict[str, str]:
    """Return the tables of the page by their names."""
    return {"costs": costs_table(Costs()), "machines": machines_table(DAYS), "what-if": what_if_table(CHANGES)}


if __name__ == "__main__":
    for name, table in page_tables().items():
        sys.stdout.write(f"<!-- {name} -->\n{table}\n<!-- /{name} -->\n\n")
