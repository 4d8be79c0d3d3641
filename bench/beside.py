"""How well bets are sold in one pool while another, large one is being settled."""

from collections.abc import Sequence
from multiprocessing import get_context
from statistics import quantiles
from typing import Any

from accounts.models import User
from bench.clients import Burst, Clients
from bench.loading import load_bets
from bench.people import Staff, admit, make_open_pool, numbered
from bench.settler import settle_for
from bench.settling import decide
from pools.services.closing import close_pool
from totalizator.core import clock

CLIENTS = 4


def measure_selling_beside_settling(
    staff: Staff, players: Sequence[User], *, bets: int, seconds: int
) -> dict[str, Any]:
    """Sell alone, then while a pool of `bets` bets is settled for as long as the selling lasts."""
    settled = make_open_pool("B-4", staff)
    load_bets(settled, numbered(players, settled), bets)
    clock.move_clock(settled.closes_at - clock.now())
    close_pool(code=settled.code, actor="bench")
    decide(settled, staff)
    pool = make_open_pool("B-5", staff)
    admit(players, staff, pool.terms.rules_version)
    with Clients(CLIENTS, pool.code, [player.pk for player in players]) as clients, get_context("spawn").Pool(1) as one:
        alone = clients.run(CLIENTS, seconds)
        settling = one.apply_async(settle_for, (settled.code, seconds))
        beside = clients.run(CLIENTS, seconds)
        times = settling.get()
    return {
        "bets_settled": bets,
        "settlements_meanwhile": times,
        "alone_per_second": round(_pace(alone)),
        "beside_per_second": round(_pace(beside)),
        "beside_to_alone": round(_pace(beside) / _pace(alone), 2),
        "alone_p99_ms": _p99(alone),
        "beside_p99_ms": _p99(beside),
    }


def _pace(bursts: Sequence[Burst]) -> float:
    return sum(burst.pace for burst in bursts)


def _p99(bursts: Sequence[Burst]) -> float:
    took = [second for burst in bursts for second in burst.took]
    return round(1000 * quantiles(took, n=100)[98], 1)
