"""A site with years behind it: pools that were played and settled, and one that is on sale."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from accounts.models import User
from bench.loading import load_bets
from bench.people import Staff, make_open_pool, numbered
from bench.settling import decide
from pools.models import Pool
from pools.services.closing import close_pool
from pools.services.settling import settle_pool
from totalizator.core import clock


@dataclass(frozen=True, slots=True)
class History:
    """What the pages are asked for."""

    on_sale: Pool
    settled: Pool
    pools: int
    bets: int


def make_history(staff: Staff, players: Sequence[User], *, pools: int, bets: int) -> History:
    """Play `pools - 1` pools with half of the bets, put the rest of the bets into one that stays on sale."""
    each = max(bets // 2 // max(pools - 1, 1), 1)
    for number in range(1, pools):
        pool = make_open_pool(f"H-{number}", staff)
        load_bets(pool, numbered(players, pool), each)
        clock.move_clock(pool.closes_at - clock.now())
        close_pool(code=pool.code, actor="bench")
        decide(pool, staff)
        settle_pool(code=pool.code, actor="bench")
    on_sale = make_open_pool("H-0", staff)
    load_bets(on_sale, numbered(players, on_sale), bets - each * (pools - 1))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
    return History(on_sale, Pool.objects.get(code="H-1"), pools, bets)
