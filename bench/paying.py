"""How long it takes to pay a pool that many win, to their accounts, next to the least that it could be."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from django.db import connection

from accounts.models import User
from bench.loading import load_bets
from bench.people import Staff, make_open_pool, numbered
from bench.plain import settling_in_plain_sql
from bench.settling import decide
from payouts.models import Payable, Payment
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Pool, Winning
from pools.services.closing import close_pool
from pools.services.settling import settle_pool
from totalizator.core import clock

MOST_WINNINGS = 300_000
SURE = (8, 1, 1)  # four marks in five are right, and five coupons in six win
BETS_TO_WINNINGS = 12, 10


def measure_paying(staff: Staff, players: Sequence[User], *, winnings: int) -> dict[str, Any]:
    """Draw up and credit about so many winnings, each a payment of its own, with its tax, journal and ledger rows."""
    pool = make_open_pool("B-P", staff)
    more, than = BETS_TO_WINNINGS
    load_bets(pool, numbered(players, pool), min(winnings, MOST_WINNINGS) * more // than, SURE)
    clock.move_clock(pool.closes_at - clock.now())
    close_pool(code=pool.code, actor="bench")
    decide(pool, staff)
    plain = _plain_money(pool)
    settle_pool(code=pool.code, actor="bench")
    started = perf_counter()
    book_payables(code=pool.code)
    booked = perf_counter()
    clock.move_clock(Payable.objects.filter(pool=pool).earliest("payable_from").payable_from - clock.now())
    before, ours, theirs = perf_counter(), process_time(), _backend_seconds()
    credit_accounts(code=pool.code)
    took, ours, theirs = perf_counter() - before, process_time() - ours, _backend_seconds() - theirs
    payments = Payment.objects.filter(pool=pool).count()
    return {
        "winnings": Winning.objects.filter(pool=pool).count(),
        "payments": payments,
        "accounts": len(players),
        "plain_sql_seconds": round(plain, 2),
        "booking_seconds": round(booked - started, 2),
        "crediting_seconds": round(took, 2),
        "payments_per_second": round(payments / took),
        "to_plain_sql": round((booked - started + took) / plain, 1),
        "program_us_a_payment": round(1e6 * ours / payments, 1),
        "database_us_a_payment": round(1e6 * theirs / payments, 1),
    }


def _plain_money(pool: Pool) -> float:
    """Return the seconds that transfers, entries and balances of the same winnings take in plain SQL."""
    with_money = median(settling_in_plain_sql(pool, money=True) for _ in range(3))
    return max(with_money - median(settling_in_plain_sql(pool, money=False) for _ in range(3)), 0.001)


def _backend_seconds() -> float:
    """Return the processor time of our connection's server process so far; 0 where /proc does not tell it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    try:
        ticks = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:  # another system, or a server on another machine
        return 0.0
    return (int(ticks[11]) + int(ticks[12])) / 100
