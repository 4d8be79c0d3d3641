"""What the fault tests do inside the copied checkout, one act a call: `python -m tests.faults.scenario ACT [ARG …]`.

Each act prints one JSON document.
"""

import json
import secrets
import sys
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db.models import Count, Sum  # noqa: E402

from accounts.ledger.balances import balance, entries_balance  # noqa: E402
from accounts.ledger.kinds import AccountKind  # noqa: E402
from accounts.ledger.posting import ledger_account  # noqa: E402
from accounts.models import User  # noqa: E402
from payouts.models import Payable, Payment  # noqa: E402
from pools.models import Bet, Pool, Settlement, Winning  # noqa: E402
from tests import making  # noqa: E402
from tests.loaded_bets import load_bets  # noqa: E402
from tests.making import account_of, bet_from_account, make_player, make_pool  # noqa: E402
from tests.resulting import close_by_clock, seal  # noqa: E402
from totalizator.core import clock  # noqa: E402

# Each act is a process of its own: names must not repeat.
making._number = count(secrets.randbelow(10**9))


def prepare(players: int, balance_each: int) -> dict[str, Any]:
    """An open pool at 1.00 a line, and players who are logged in."""
    pool = make_pool()
    people = [make_player(balance_each) for _ in range(players)]
    return {"pool": pool.code, "players": [{"name": p.username, "session": log_in(p)} for p in people]}


def log_in(person: User) -> str:
    """The key of a session as the log-in page makes it."""
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def sold(code: str) -> dict[str, Any]:
    """What stands in the database of the bets sold in a pool."""
    pool = Pool.objects.get(code=code)
    bets = Bet.objects.filter(pool=pool).aggregate(count=Count("ticket"), stakes=Sum("stake"))
    players = User.objects.filter(bets__pool=pool).distinct()
    return {
        **bets,
        "pot": entries_balance(ledger_account(AccountKind.POOL_POT, code), book=pool.pk),
        "tickets": sorted(Bet.objects.filter(pool=pool).values_list("ticket", flat=True)),
        "balances": {p.username: balance(account_of(p).ledger_account) for p in players},
    }


def resulted(bets: int, winners: int) -> dict[str, Any]:
    """A pool of 15 conditions with `bets` bets in cash and `winners` from accounts, its protocol just sealed."""
    pool = make_pool(conditions=15)
    right = ";".join(["1"] * 15)
    load_bets(pool, bets)
    for _ in range(winners):
        bet_from_account(pool, make_player(100), right, 100)
    close_by_clock(pool)
    seal(pool, right)
    return {"pool": pool.code}


def settled(code: str) -> dict[str, Any]:
    """How far the settlement and the payments of a pool have come."""
    pool = Pool.objects.get(code=code)
    settlement = Settlement.objects.filter(pool=pool).first()
    return {
        "pool": pool.state,
        "settlement": settlement.state if settlement else None,
        "winnings": Winning.objects.filter(pool=pool).count(),
        "payables": Payable.objects.filter(pool=pool).count(),
        "paid": Payment.objects.filter(pool=pool).count(),
        "pot": entries_balance(ledger_account(AccountKind.POOL_POT, code), book=pool.pk),
    }


def next_day() -> dict[str, Any]:
    """Move the clock to the next legal day, when winnings become payable (¶12)."""
    clock.move_clock(timedelta(days=1, hours=1))
    return {"now": clock.now().isoformat()}


ACTS: dict[str, Callable[..., dict[str, Any]]] = {
    "prepare": prepare, "sold": sold, "resulted": resulted, "settled": settled, "next_day": next_day,
}  # fmt: skip

if __name__ == "__main__":
    act, *words = sys.argv[1:]
    print(json.dumps(ACTS[act](*(int(word) if word.isdigit() else word for word in words))))  # noqa: T201
