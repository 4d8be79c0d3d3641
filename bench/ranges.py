"""A huge pool settled by ranges of its bets, by several processes, next to the one statement that does all."""

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

from django.db import connection, transaction

from accounts.models import User
from bench.loading import load_bets
from bench.people import Staff, make_open_pool, numbered
from bench.range_workers import by_ranges
from bench.settling import decide
from pools.models import Pool, Settlement
from pools.services.calculating import calculate_settlement
from pools.services.closing import close_pool
from totalizator.core import clock

WORKERS = (1, 2, 4)
RANGES = 8
_UNDO = ("pools_winning", "pools_settlement")


def measure_ranges(staff: Staff, players: Sequence[User], *, bets: int, repeats: int) -> dict[str, Any]:
    """Calculate the settlement of one pool again and again: by one statement, then by more and more workers."""
    pool = make_open_pool("B-R", staff)
    load_bets(pool, numbered(players, pool), bets)
    clock.move_clock(pool.closes_at - clock.now())
    close_pool(code=pool.code, actor="bench")
    decide(pool, staff)
    alone, texts = [], set()
    for _ in range(repeats):
        with transaction.atomic():
            started = perf_counter()
            calculate_settlement(code=pool.code, actor="bench")
            alone.append(perf_counter() - started)
            texts.add(_computed(pool))
            transaction.set_rollback(True)
    figures: dict[str, Any] = {"bets": bets, "ranges": RANGES, "one_statement_seconds": round(median(alone), 2)}
    for workers in WORKERS:
        took = []
        for _ in range(repeats):
            took.append(by_ranges(pool.code, workers, -(-bets // RANGES)))
            texts.add(_computed(pool))
            _undo(pool)
        figures[f"by_{workers}_workers_seconds"] = round(median(took), 2)
    if len(texts) != 1:
        raise RuntimeError("not every way came to the same settlement")
    return figures


def _computed(pool: Pool) -> tuple[object, ...]:
    """Return the settlement's texts, and the number, sums and digest of its rows."""
    texts = Settlement.objects.filter(pool=pool).values_list("state_text", "tally_text", "statement_text").get()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), sum(amount), sum(hashtextextended(ticket || level || lines || '/' || amount, 0)::numeric)"
            " FROM pools_winning WHERE pool_id = %s",
            [pool.pk],
        )
        return (*texts, *cursor.fetchone())


def _undo(pool: Pool) -> None:
    """Take back what was calculated, which only the owner of the tables can."""
    with connection.cursor() as cursor:
        for table in _UNDO:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(f"DELETE FROM {table} WHERE pool_id = %s", [pool.pk])
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        cursor.execute("VACUUM pools_winning")
