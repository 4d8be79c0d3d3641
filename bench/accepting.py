"""How many bets a second `place_bet` accepts, next to a bare database that writes the same rows in the same run."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

from accounts.models import User
from bench.baseline import bare_bets_per_second, write_bare_bets
from bench.clients import Burst, Clients
from bench.database import BenchDatabase
from bench.people import Staff, admit, make_open_pool, numbered

BETS_COMPARED = 10  # are written by each, and their rows counted, before anything is measured


def measure_accepting(
    database: BenchDatabase,
    staff: Staff,
    players: Sequence[User],
    *,
    clients: Sequence[int],
    seconds: int,
    repeats: int,
) -> list[dict[str, Any]]:
    """Measure each number of clients, the two by turns; medians of the repeats.

    :raises RuntimeError: when the two do not write the same rows.
    """
    pool = make_open_pool("B-1", staff)
    admit(players, staff, pool.terms.rules_version)
    bettors = numbered(players, pool)
    rows = []
    with Clients(max(clients), pool.code, [player.pk for player in players]) as processes:
        refuse_unlike(
            rows_written(lambda: processes.place(BETS_COMPARED)),
            rows_written(lambda: write_bare_bets(database, pool, bettors, BETS_COMPARED)),
        )
        for count in clients:
            bare, ours = [], []
            for _ in range(repeats):
                bare.append(bare_bets_per_second(database, pool, bettors, clients=count, seconds=seconds))
                ours.append(processes.run(count, seconds))
            rows.append(_row(count, bare, ours))
    return rows


def rows_written(act: Callable[[], object]) -> dict[str, int]:
    """Return how many rows `act` adds to each table that it adds some to."""
    before = _rows()
    act()
    return {table: count - before[table] for table, count in _rows().items() if count != before[table]}


def refuse_unlike(ours: Mapping[str, int], bare: Mapping[str, int]) -> None:
    """Refuse to compare what does not write the same. :raises RuntimeError: naming the rows."""
    if ours != bare or not ours:
        raise RuntimeError(f"{BETS_COMPARED} bets are {ours} rows by place_bet, {bare} rows by pgbench")


def _rows() -> dict[str, int]:
    with connection.cursor() as cursor:
        return {table: _count(cursor, table) for table in connection.introspection.table_names(cursor)}


def _count(cursor: CursorWrapper, table: str) -> int:
    cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
    (count,) = cursor.fetchone()
    return int(count)


def _row(clients: int, bare: Sequence[float], ours: Sequence[Sequence[Burst]]) -> dict[str, Any]:
    paces = [sum(burst.pace for burst in bursts) for bursts in ours]
    ratios = [pace / base for pace, base in zip(paces, bare, strict=True)]
    took = [second for bursts in ours for burst in bursts for second in burst.took]
    return {
        "clients": clients,
        "place_bet_per_second": round(median(paces)),
        "pgbench_per_second": round(median(bare)),
        "ratio": round(median(ratios), 3),
        "python_ms": round(1000 * sum(burst.on_core for bursts in ours for burst in bursts) / len(took), 2),
        "median_ms": round(1000 * median(took), 2),
        "p99_ms": round(1000 * quantiles(took, n=100)[98], 2),
    }
