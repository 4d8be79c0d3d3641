"""How long settling a large pool takes, next to the plain SQL count of the same rows."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from accounts.models import User
from bench.game import CONDITIONS, SIGNS
from bench.loading import load_bets
from bench.people import PASSPHRASE, Staff, make_open_pool, numbered
from pools.models import Pool, Settlement, Winning
from pools.services.calculating import calculate_settlement
from pools.services.closing import close_pool
from pools.services.confirming import confirm_settlement
from pools.services.evidence import file_evidence
from pools.services.protocols import sign_protocol
from pools.services.results import enter_result
from pools.snapshots.bundle import write_bundle
from totalizator.core import clock

# A small process starts the engine: the memory of whoever starts a process counts as the process's own at first.
_MEASURED = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measure_settling(staff: Staff, players: Sequence[User], *, bets: int, repeats: int) -> dict[str, Any]:
    """Settle a pool of `bets` bets; what can be repeated is repeated, and its median taken."""
    pool = make_open_pool("B-2", staff)
    load_bets(pool, numbered(players, pool), bets)
    clock.move_clock(pool.closes_at - clock.now())
    closing = _seconds(lambda: close_pool(code=pool.code, actor="bench"))
    decide(pool, staff)
    count = median(_seconds(lambda: _count(pool)) for _ in range(repeats + 2))
    by_matches = median(_seconds(lambda: _count_by_matches(pool)) for _ in range(repeats + 2))
    calculating = median(_seconds(lambda: _calculate_and_undo(pool)) for _ in range(repeats))
    calculate_settlement(code=pool.code, actor="bench")
    confirming = _seconds(lambda: confirm_settlement(code=pool.code, actor="bench"))
    engine_seconds, engine_peak = _engine_alone(pool)
    return {
        "bets": bets,
        "winnings": Winning.objects.filter(pool=pool).count(),
        "count_seconds": round(count, 4),
        "count_by_matches_seconds": round(by_matches, 4),
        "calculate_seconds": round(calculating, 3),
        "calculate_to_count": round(calculating / count, 1),
        "calculate_to_count_by_matches": round(calculating / by_matches, 1),
        "confirm_seconds": round(confirming, 2),
        "close_and_seal_seconds": round(closing, 2),
        "engine_settle_seconds": round(engine_seconds, 2),
        "engine_peak_mb": round(engine_peak),
    }


def decide(pool: Pool, staff: Staff) -> None:
    """Take a closed pool to its sealed protocol: the first outcome of every condition is right."""
    result = {
        "conditions": {str(number): [SIGNS[0]] for number in range(1, CONDITIONS + 1)},
        "event_void": False,
        "first_started_at": f"{pool.closes_at:%Y-%m-%dT%H:%M:%SZ}",
    }
    file_evidence(
        code=pool.code,
        condition="",
        source="bench",
        address="",
        captured_at=clock.now(),
        content=b"the whole round",
        original_name="round.txt",
        filed_by=staff.members[0],
    )
    for member in staff.members:
        enter_result(code=pool.code, member=member, result=result)
    for member in staff.members:
        sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE)


def _count(pool: Pool) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), sum(lines), sum(stake) FROM pools_bet WHERE pool_id = %s", [pool.pk])


def _count_by_matches(pool: Pool) -> None:
    right = ("1" + "0" * (len(SIGNS) - 1)) * CONDITIONS
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT bit_count(bits & %s::varbit), count(*) FROM pools_bet WHERE pool_id = %s AND lines = 1 GROUP BY 1",
            [right, pool.pk],
        )


def _calculate_and_undo(pool: Pool) -> None:
    with transaction.atomic():
        calculate_settlement(code=pool.code, actor="bench")
        transaction.set_rollback(True)
    assert not Settlement.objects.filter(pool=pool).exists()


def _engine_alone(pool: Pool) -> tuple[float, float]:
    """Settle the exported bundle on a bare Python; return the seconds and the most memory it held, in MB."""
    with TemporaryDirectory(prefix="totalizator-bench-") as folder:
        write_bundle(Pool.objects.get(pk=pool.pk), Path(folder))
        command = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "totalizator.engine", "settle", folder]
        done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    seconds, kilobytes = done.stdout.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


def _seconds(act: Callable[[], object]) -> float:
    started = perf_counter()
    act()
    return perf_counter() - started
