"""How long it takes to close, settle, prove and pay a large pool, each next to the least that could be."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from bench.game import CONDITIONS, SIGNS
from bench.loading import load_bets
from bench.people import PASSPHRASE, Staff, make_open_pool, numbered
from bench.plain import hashing_one_by_one, reading_and_counting, settling_in_plain_sql
from payouts.models import Payable, Payment
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
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
    """Close, settle, verify and pay a pool of `bets` bets; what can be repeated is repeated, and its median taken."""
    pool = make_open_pool("B-2", staff)
    load_bets(pool, numbered(players, pool), bets)
    clock.move_clock(pool.closes_at - clock.now())
    closing = _seconds(lambda: close_pool(code=pool.code, actor="bench"))
    decide(pool, staff)
    plain = median(settling_in_plain_sql(pool, money=False) for _ in range(repeats))
    plain_money = median(settling_in_plain_sql(pool, money=True) for _ in range(repeats))
    calculating = median(_seconds(lambda: calculate_and_undo(pool)) for _ in range(repeats))
    calculate_settlement(code=pool.code, actor="bench")
    confirming = _seconds(lambda: confirm_settlement(code=pool.code, actor="bench"))
    booking = _seconds(lambda: book_payables(code=pool.code))
    with TemporaryDirectory(prefix="totalizator-bench-") as folder:
        write_bundle(Pool.objects.get(pk=pool.pk), Path(folder))
        proved = _proving(Path(folder), repeats)
    clock.move_clock(Payable.objects.filter(pool=pool).earliest("payable_from").payable_from - clock.now())
    crediting = _seconds(lambda: credit_accounts(code=pool.code))
    winnings, payments = Winning.objects.filter(pool=pool).count(), Payment.objects.filter(pool=pool).count()
    return {
        "bets": bets,
        "winnings": winnings,
        "plain_sql_seconds": round(plain, 3),
        "calculate_seconds": round(calculating, 3),
        "calculate_to_plain_sql": round(calculating / plain, 2),
        "confirm_seconds": round(confirming, 2),
        "closing_seconds": round(closing, 2),
        "closing_to_hashing": round(closing / proved["hashing_seconds"], 2),
        **{name: round(value, 2) for name, value in proved.items()},
        "booking_seconds": round(booking, 2),
        "payments": payments,
        "crediting_seconds": round(crediting, 2),
        "payments_per_second": round(payments / crediting) if payments else 0,
        "crediting_to_plain_sql": round((booking + crediting) / max(plain_money - plain, 0.001), 1),
        "worker_peak_mb": round(getrusage(RUSAGE_SELF).ru_maxrss / 1024),
    }


def _proving(folder: Path, repeats: int) -> dict[str, float]:
    """Measure the engine on the bundle, beside a bare Python on its bets: seconds, ratios, and peak memory in MB."""
    bets = folder / "bets.csv"
    hashing, counting, verifying = [], [], []
    for _ in range(repeats):
        hashing.append(hashing_one_by_one(bets))
        counting.append(reading_and_counting(bets))
        verifying.append(_engine_alone("verify", folder))
    settled, peak = _engine_alone("settle", folder)
    ratios = [took / least for (took, _), least in zip(verifying, counting, strict=True)]
    return {
        "hashing_seconds": median(hashing),
        "bare_reading_seconds": median(counting),
        "verify_seconds": median(took for took, _ in verifying),
        "verify_to_bare_reading": median(ratios),
        "verify_peak_mb": max(memory for _, memory in verifying),
        "engine_settle_seconds": settled,
        "engine_settle_peak_mb": peak,
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


def calculate_and_undo(pool: Pool) -> None:
    """Calculate a settlement, and roll it back."""
    with transaction.atomic():
        calculate_settlement(code=pool.code, actor="bench")
        transaction.set_rollback(True)
    assert not Settlement.objects.filter(pool=pool).exists()


def _engine_alone(command: str, folder: Path) -> tuple[float, float]:
    """Run the engine on a bundle, on a bare Python; return the seconds and the most memory it held, in MB."""
    whole = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "totalizator.engine", command, str(folder)]
    done = subprocess.run(whole, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    seconds, kilobytes = done.stdout.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


def _seconds(act: Callable[[], object]) -> float:
    started = perf_counter()
    act()
    return perf_counter() - started
