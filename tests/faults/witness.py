"""One process that acts for the desks and looks in the database: `python -m tests.faults.witness`.

It reads `[act, {word: value}]`, a line each, and answers with one JSON document a line: what the act returns, or `away`
when the database or a lock could not be had, or `fault`.
"""

import json
import secrets
import sys
import traceback
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import InterfaceError, OperationalError, close_old_connections  # noqa: E402
from django.db.models import Count, Sum  # noqa: E402

from accounts.ledger.balances import balance, entries_balance  # noqa: E402
from accounts.ledger.kinds import AccountKind  # noqa: E402
from accounts.ledger.posting import ledger_account  # noqa: E402
from accounts.models import User  # noqa: E402
from payouts.models import Payable, Payment  # noqa: E402
from payouts.services.log_checks import check_log  # noqa: E402
from payouts.services.reconciling import reconcile  # noqa: E402
from pools.models import (  # noqa: E402
    Bet,
    CommissionKey,
    Commitment,
    Pool,
    PoolState,
    ProtocolSignature,
    ResultEntry,
    Settlement,
    Winning,
)
from pools.services.protocols import sign_protocol  # noqa: E402
from pools.services.results import enter_result  # noqa: E402
from tests import making  # noqa: E402
from tests.loaded_bets import load_bets  # noqa: E402
from tests.making import (  # noqa: E402
    PASSPHRASE,
    account_of,
    bet_from_account,
    make_commission,
    make_player,
    make_pool,
)
from tests.resulting import close_by_clock, file_proof, make_result, members_of, seal  # noqa: E402
from tests.sessions import session_of  # noqa: E402
from totalizator.core import clock  # noqa: E402
from totalizator.core.errors import DomainError, Refusal  # noqa: E402
from totalizator.core.journal_checks import check_journal  # noqa: E402
from totalizator.core.models import JournalRecord  # noqa: E402

Answer = dict[str, Any]

# A second witness may follow the first on the same database: names must not repeat.
making._number = count(secrets.randbelow(10**9))
_commission: list[CommissionKey] = []


def prepare(players: int, balance_each: int) -> Answer:
    """An open pool at 1.00 a line, and players who are logged in."""
    if not _commission:
        _commission.extend(make_commission())
    pool = make_pool(keys=_commission)
    people = [make_player(balance_each) for _ in range(players)]
    return {"pool": pool.code, "players": [{"name": p.username, "session": session_of(p)} for p in people]}


def logged_in(name: str) -> Answer:
    """A new session of a player."""
    return {"session": session_of(User.objects.get(username=name))}


def sold(code: str) -> Answer:
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


def closed(code: str) -> Answer:
    """Have the clock past the closing; tell whether the pool is closed and its bets sealed."""
    pool = Pool.objects.get(code=code)
    _have_clock_past(pool.closes_at + timedelta(minutes=1) - clock.now())
    return {"sealed": pool.state == PoolState.CLOSED and Commitment.objects.filter(pool=pool).exists()}


def decided(code: str, right: str) -> Answer:
    """File the evidence, enter the result and sign it, as far as that is not done yet."""
    pool = Pool.objects.get(code=code)
    first_two = members_of(pool)[:2]
    if not pool.evidence.exists():
        file_proof(pool)
    for member in first_two:
        if not ResultEntry.objects.filter(pool=pool, member=member).exists():
            enter_result(code=code, member=member, result=make_result(pool, right))
    for member in first_two:
        if not ProtocolSignature.objects.filter(pool=pool, key__member=member).exists():
            sign_protocol(code=code, member=member, passphrase=PASSPHRASE)
    return {"signatures": ProtocolSignature.objects.filter(pool=pool).count()}


def resulted(bets: int, winners: int) -> Answer:
    """A pool of 15 conditions with `bets` bets in cash and `winners` from accounts, its protocol just sealed."""
    pool = make_pool(conditions=15)
    right = ";".join(["1"] * 15)
    load_bets(pool, bets)
    for _ in range(winners):
        bet_from_account(pool, make_player(100), right, 100)
    close_by_clock(pool)
    seal(pool, right)
    return {"pool": pool.code}


def settled(code: str, pay: bool = False) -> Answer:
    """How far the settlement and the payments of a pool have come; with `pay`, the next legal day is there (¶12)."""
    pool = Pool.objects.get(code=code)
    settlement = Settlement.objects.filter(pool=pool).first()
    if pay:
        last = ProtocolSignature.objects.filter(pool=pool).latest("signed_at")
        _have_clock_past(last.signed_at + timedelta(days=1, hours=1) - clock.now())
    return {
        "pool": pool.state,
        "settlement": settlement.state if settlement else None,
        "winnings": Winning.objects.filter(pool=pool).count(),
        "payables": Payable.objects.filter(pool=pool).count(),
        "paid": Payment.objects.filter(pool=pool).count(),
        "pot": entries_balance(ledger_account(AccountKind.POOL_POT, code), book=pool.pk),
    }


def proved(code: str, folder: str) -> Answer:
    """Run every proof of books, journal and log, and write the pool's bundle and the keys into the folder."""
    call_command("export_pool", code, f"{folder}/bundle", stdout=sys.stderr)
    call_command("export_keys", f"{folder}/keys.json", stdout=sys.stderr)
    broken = [f"{proof.name}: {proof.where}" for proof in reconcile(actor="faults")]
    journal = check_journal().broken
    broken += [f"journal: {journal}"] if journal else []
    broken += [f"log: {line}" for line in check_log().broken]
    failures = JournalRecord.objects.filter(subject=f"pool:{code}", act__endswith="_failed")
    return {"broken": broken, "failures": sorted(failures.values_list("act", "reason"))}


def _have_clock_past(missing: timedelta) -> None:
    if missing > timedelta(0):
        clock.move_clock(missing)


ACTS: dict[str, Callable[..., Answer]] = {
    act.__name__: act for act in (prepare, logged_in, sold, closed, decided, resulted, settled, proved)
}


def answer(name: str, words: dict[str, Any]) -> Answer:
    """Do one act; say when what it needs is away, which harms nothing."""
    close_old_connections()
    try:
        return ACTS[name](**words)
    except (OperationalError, InterfaceError) as fault:
        return {"away": str(fault)}
    except DomainError as refused:
        return {"away" if refused.code == Refusal.BUSY else "fault": f"{refused} {refused.__cause__}"}
    except Exception as fault:  # noqa: BLE001 told to who asked
        traceback.print_exc()
        return {"fault": f"{type(fault).__name__}: {fault}"}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line))), flush=True)
