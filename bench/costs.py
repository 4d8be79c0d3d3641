"""What one bet costs: rows, bytes on disk, journal, processor time of each side. Run: `python -m bench.costs`.

The sizing model (`deploy/sizing.py`) reckons with these figures; its page says from when they are.
"""

import argparse
import json
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

from bench.database import BenchDatabase, NoDatabase

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PLAYERS = 200


@dataclass(frozen=True, slots=True)
class Growth:
    """What a table grew by: rows, bytes of the rows, bytes of all its indexes."""

    rows: int
    heap: int
    indexes: int


def growth_of(act: Callable[[], object]) -> dict[str, Growth]:
    """Return what each table that `act` adds rows to grows by, as PostgreSQL measures relations."""
    before = _sizes()
    act()
    after = _sizes()
    none = Growth(0, 0, 0)
    grown = {}
    for table, now in after.items():
        was = before.get(table, none)
        if now.rows != was.rows:
            grown[table] = Growth(now.rows - was.rows, now.heap - was.heap, now.indexes - was.indexes)
    return grown


def journal_bytes() -> int:
    """Return how much journal (WAL) this session has written until now."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT wal_bytes FROM pg_stat_get_backend_wal(pg_backend_pid())")
        (written,) = cursor.fetchone()
    return int(written)


def _sizes() -> dict[str, Growth]:
    from django.db import connection

    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        sizes = {}
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(
                f"SELECT (SELECT count(*) FROM {name}), pg_table_size(%s::regclass), pg_indexes_size(%s::regclass)",
                [name, name],
            )
            sizes[table] = Growth(*cursor.fetchone())
    return sizes


def _server_seconds(number: int) -> float:
    """Return the processor time of a server's process so far."""
    fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def measure(bets: int) -> dict[str, Any]:
    """Place so many bets, one transaction each, in a pool that some were sold in already; return the costs of one."""
    from random import Random

    from django.db import connection

    from bench.game import CONDITIONS, PRICE, SIGNS
    from bench.people import admit, make_open_pool, make_players, make_staff
    from pools.services.betting import place_bet
    from pools.services.sources import from_game_account

    staff = make_staff()
    players = make_players(PLAYERS, staff)
    pool = make_open_pool("C-1", staff)
    admit(players, staff, pool.terms.rules_version)
    sources, chance = [from_game_account(player) for player in players], Random(1)

    def place(count: int) -> None:
        for _ in range(count):
            place_bet(
                pool_code=pool.code,
                selections=";".join(chance.choices(SIGNS, k=CONDITIONS)),
                stake=PRICE,
                source=chance.choice(sources),
                idempotency_key=secrets.token_hex(16),
            )

    place(bets // 10)
    connection.ensure_connection()
    server = connection.connection.info.backend_pid
    journal, client, served = journal_bytes(), process_time(), _server_seconds(server)
    took: dict[str, float] = {}

    def measured() -> None:
        place(bets)
        took.update(client=process_time() - client, server=_server_seconds(server) - served)

    grown = growth_of(measured)
    return {
        "bets": bets,
        "tables": {
            table: {"rows": one.rows / bets, "heap": one.heap / bets, "indexes": one.indexes / bets}
            for table, one in grown.items()
        },
        "raw": {table: asdict(one) for table, one in grown.items()},
        "journal_bytes": (journal_bytes() - journal) / bets,
        "client_us": 1_000_000 * took["client"] / bets,
        "server_us": 1_000_000 * took["server"] / bets,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure in a database of our own, and print what deploy/sizing.py is to be told."""
    parser = argparse.ArgumentParser(prog="python -m bench.costs", description=__doc__)
    parser.add_argument("--bets", type=int, default=20_000)
    asked = parser.parse_args(arguments)
    try:
        with BenchDatabase(os.environ.get("DATABASE_OWNER_URL") or os.environ.get("DATABASE_URL", "")):
            figures = measure(asked.bets)
    except NoDatabase as fault:
        print(f"bench: {fault}", file=sys.stderr)
        return 1
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
