"""A site with years behind it: pools that were played, settled and paid, some that are on sale, one that sells most."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from accounts.models import PointKind, Role, Till, User
from accounts.services.points import open_till, register_point
from bench.crowd import crowd_in, make_crowd
from bench.loading import BETWEEN_BETS, load_bets
from bench.multiplying import Copy, copy_pools
from bench.people import Staff, admit, make_open_pool, person
from bench.settling import decide
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Bet, Pool, PoolState
from pools.services.closing import close_pool
from pools.services.settling import settle_pool
from totalizator.core import clock

ORIGINALS = 4
"""How many settled pools are played by the services; the others are copies of them."""
ON_SALE = 50  # one pool in so many is on sale; a national operator has about twenty
BETWEEN_POOLS = timedelta(hours=8)
BETS_OF_A_PLAYER, LEAST_PLAYERS = 200, 10
CASH_EVERY = 10  # bets; what they win waits at a till
PAYABLE_AFTER = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class History:
    """What the pages are asked for; `settled` was played by the services, so that the proofs of its `bet` are true."""

    on_sale: Pool
    settled: Pool
    bet: Bet
    player: User
    till: Till
    pools: int
    bets: int


def make_history(staff: Staff, *, pools: int, bets: int) -> History:
    """Play and copy pools until there are `pools`; half of the bets are in those that are over, half in one on sale."""
    on_sale = pools // ON_SALE
    over = pools - 1 - on_sale
    make_crowd(max(bets // BETS_OF_A_PLAYER, LEAST_PLAYERS))
    each, till = max(bets // 2 // max(over, 1), 1), _make_till(staff)
    originals = [_played(f"H-{number:04}", staff, till, each) for number in range(1, min(ORIGINALS, over) + 1)]
    clock.move_clock(PAYABLE_AFTER)
    for pool in originals[: len(originals) // 2]:
        credit_accounts(code=pool.code)  # of the others all is still to be paid
    sells_most, sold = make_open_pool("H-0000", staff), bets - each * over
    asked_at = sells_most.opens_at + (sold + 1) * BETWEEN_BETS
    copy_pools(_copies(originals, over) + _on_sale(sells_most, asked_at, first=over + 1, count=on_sale))
    load_bets(sells_most, crowd_in(sells_most), sold)
    clock.move_clock(asked_at - clock.now())  # all of them were made by now
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
    _refuse_other_than(pools, bets, over)
    bet = Bet.objects.filter(pool=originals[0], player__isnull=False).select_related("player").earliest("ticket")
    assert bet.player is not None
    admit([bet.player], staff, sells_most.terms.rules_version)
    return History(sells_most, originals[0], bet, bet.player, till, pools, bets)


def _played(code: str, staff: Staff, till: Till, bets: int) -> Pool:
    pool = make_open_pool(code, staff)
    load_bets(pool, crowd_in(pool), bets)
    _pay_some_in_cash(pool, till)
    clock.move_clock(pool.closes_at - clock.now())
    close_pool(code=pool.code, actor="bench")
    decide(pool, staff)
    settle_pool(code=pool.code, actor="bench")
    book_payables(code=pool.code, actor="bench")
    return Pool.objects.get(code=code)


def _pay_some_in_cash(pool: Pool, till: Till) -> None:
    """Let every tenth bet have come to a till; the benchmark loads bets of accounts only."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE pools_bet DISABLE TRIGGER append_only_rows")
        cursor.execute(
            "UPDATE pools_bet SET channel = 'cash', player_id = NULL, till_id = %s, paid_from_id = %s, sold_by_id = %s"
            " WHERE pool_id = %s AND (extract(epoch FROM registered_at - %s) * 100)::bigint %% %s = 0",
            [till.pk, till.ledger_account_id, till.cashier_id, pool.pk, pool.opens_at, CASH_EVERY],
        )
        cursor.execute("ALTER TABLE pools_bet ENABLE TRIGGER append_only_rows")


def _copies(originals: Sequence[Pool], over: int) -> list[Copy]:
    """Return the copies that fill up the pools that are over, each some hours before the one made before it."""
    count = len(originals)
    return [
        Copy(originals[number % count], f"H-{number + 1:04}", -BETWEEN_POOLS * (number // count + 1) * count)
        for number in range(count, over)
    ]


def _on_sale(pool: Pool, now: datetime, *, first: int, count: int) -> list[Copy]:
    """Return the copies that are on sale beside `pool`, closing before it, each at an instant of its own after `now`.

    :raises ValueError: when more bets are wanted in the pool than there is time for.
    """
    span = (pool.closes_at - now) // (count + 1)
    if span <= timedelta():
        raise ValueError(f"so many bets are not made before {pool.code} closes")
    return [Copy(pool, f"H-{first + number:04}", -span * (number + 1)) for number in range(count)]


def _make_till(staff: Staff) -> Till:
    keeper = staff.organizers[0]
    point = register_point(code="B1", name="Benchmark", kind=PointKind.OWN, by=keeper)
    return open_till(point=point, number=1, cashier=person(Role.CASHIER, 0), by=keeper)


def _refuse_other_than(pools: int, bets: int, over: int) -> None:
    made = Pool.objects.filter(code__startswith="H-")
    played = Bet.objects.filter(pool__in=made).count()
    found = (made.count(), played, made.filter(state=PoolState.SETTLED).count())
    if found != (pools, bets, over):
        raise RuntimeError(f"pools, bets, settled pools: {found} were made, {(pools, bets, over)} were wanted")
