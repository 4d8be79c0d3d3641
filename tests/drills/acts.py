"""What the drills do in the database, act by act (tests/drills/clerk.py)."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

from django.db import connection
from django.db.models import Count, Sum

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import User
from pools.models import Bet, Pool
from pools.services.settling import settle_pool
from tests import making
from tests.making import account_of, bet_from_account, make_player, make_pool
from tests.resulting import close_by_clock, seal
from tests.sessions import session_of
from totalizator.core import clock

RIGHT = "1;1;1"

# A restored database may be worked on by a clerk who did not make what is in it: names must not repeat.
making._number = count(secrets.randbelow(10**9))


def prepare(players: int, balance_each: int) -> dict[str, Any]:
    """Open a pool at 1.00 a line, with players who are logged in."""
    pool, people = make_pool(), [make_player(balance_each) for _ in range(players)]
    return {"pool": pool.code, "players": [{"name": one.username, "session": session_of(one)} for one in people]}


def sold(code: str) -> dict[str, Any]:
    """Return what stands in the database of the bets that were sold in a pool."""
    pool = Pool.objects.get(code=code)
    bets = Bet.objects.filter(pool=pool)
    return {
        **bets.aggregate(count=Count("ticket"), stakes=Sum("stake")),
        "pot": entries_balance(ledger_account(AccountKind.POOL_POT, code), book=pool.pk),
        "tickets": sorted(bets.values_list("ticket", flat=True)),
        "balances": {
            one.username: balance(account_of(one).ledger_account)
            for one in User.objects.filter(bets__pool=pool).distinct()
        },
    }


def open_and_sell(bets: int) -> dict[str, Any]:
    """Open a pool and sell in it from the account of a new player."""
    pool = make_pool()
    return {"pool": pool.code, "tickets": sell(pool.code, bets)}


def sell(code: str, bets: int) -> list[str]:
    """Sell so many bets in an open pool."""
    pool, player = Pool.objects.get(code=code), make_player(bets * 100)
    return [bet_from_account(pool, player, RIGHT, 100).bet.ticket for _ in range(bets)]


def settle(code: str) -> str:
    """Close the pool, publish its commitment, seal its result and settle it; return its state."""
    pool = close_by_clock(Pool.objects.get(code=code))
    clock.move_clock(timedelta(hours=2))
    seal(pool, RIGHT, started_at=pool.closes_at + timedelta(hours=1))
    settle_pool(code=code, actor="test")
    pool.refresh_from_db()
    return str(pool.state)


def close(code: str) -> str:
    """Close the pool and publish its commitment; return its state."""
    return str(close_by_clock(Pool.objects.get(code=code)).state)


def server_instant() -> str:
    """The server's own time: no clock that a demonstration moves."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (at,) = cursor.fetchone()
    return str(at.isoformat())


def tickets() -> list[str]:
    """Every ticket that the database knows."""
    return sorted(Bet.objects.values_list("ticket", flat=True))


ACTS: dict[str, Callable[..., Any]] = {
    "prepare": prepare, "sold": sold, "open_and_sell": open_and_sell, "sell": sell, "settle": settle, "close": close,
    "server_instant": server_instant, "tickets": tickets,
}  # fmt: skip
