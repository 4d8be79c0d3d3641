"""Expiry against a claim at the very instant at which the term ends (C57)."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Barrier, BrokenBarrierError

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.models import Till
from payouts.models import Payable, PayableState, Payment
from payouts.services.booking import book_payables
from payouts.services.expiring import expire_winnings
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.making import make_pool, make_till
from tests.paying import broken, go_to, pay, payable_until, sell_slips
from tests.settling import jackpot_of, owed, settle
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)

TRIES = 100
BEFORE = timedelta(milliseconds=55)


def test_c57_a_claim_and_the_expiry_at_the_same_instant_a_hundred_times() -> None:
    """The claims start from 50 ms before the end of the term to 10 ms after it: each time exactly one wins."""
    pool, till = make_pool("sportloto-variant"), make_till(100 * TRIES)
    slips = sell_slips(pool, make_till(), *[("1", 100)] * TRIES)
    settle(pool, "1")
    book_payables(code=pool.code)
    end, turn = payable_until(pool), Barrier(2)

    def both(*acts: Callable[[int, PlacedBet], object]) -> list[list[object]]:
        """Run the acts on each slip in step, each in a thread of its own."""

        def go(act: Callable[[int, PlacedBet], object]) -> list[object]:
            try:
                return [act(number, slip) for number, slip in enumerate(slips)]
            except BaseException:
                turn.abort()  # so that the other one does not wait for this one
                raise
            finally:
                connection.close()

        with ThreadPoolExecutor(len(acts)) as threads:
            running = [threads.submit(go, act) for act in acts]
        faults = [thread.exception() for thread in running]
        for fault in sorted((fault for fault in faults if fault), key=lambda one: isinstance(one, BrokenBarrierError)):
            raise fault  # the one that broke the other's barrier first
        return [thread.result() for thread in running]

    def claim(number: int, slip: PlacedBet) -> str:
        turn.wait(30)
        wait_until(end + timedelta(milliseconds=number % 7 * 10 - 50))
        outcome = attempt(slip, till)
        turn.wait(30)
        return outcome

    def expire(_number: int, slip: PlacedBet) -> int:
        only_this_ends(pool, slip, end)
        go_to(end - BEFORE)
        turn.wait(30)
        wait_until(end)
        expired = expire_winnings(code=pool.code)
        turn.wait(30)
        return expired

    with terms_can_be_moved():
        claims, expiries = both(claim, expire)
    outcomes = list(zip(claims, expiries, strict=True))
    assert set(outcomes) == {("paid", 0), (Refusal.TERM_EXPIRED, 1)}, "one wins each time, and each wins sometimes"
    paid = claims.count("paid")
    assert Payment.objects.count() == Payable.objects.filter(state=PayableState.PAID).count() == paid
    assert Payable.objects.filter(state=PayableState.EXPIRED).count() == TRIES - paid
    assert balance(till.ledger_account) == 100 * TRIES - 66 * paid
    assert (jackpot_of(pool.game), owed(AccountKind.WINNINGS_DUE, pool)) == (70 * (TRIES - paid), 0)
    assert expire_winnings(code=pool.code) == 0
    assert broken() == []


def test_four_expiries_at_once_move_each_winning_once() -> None:
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), *[("1", 100)] * 40)
    settle(pool, "1")
    book_payables(code=pool.code)
    go_to(payable_until(pool))
    moved: Sequence[int | DomainError] = race([lambda: expire_winnings(code=pool.code, chunk=7)] * 4)
    assert sum(count for count in moved if isinstance(count, int)) == 40
    assert jackpot_of(pool.game) == 40 * 70
    assert broken() == []


@contextmanager
def terms_can_be_moved() -> Iterator[None]:
    """Let this test give each slip a term of its own; the database allows that to nobody else."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE payouts_payable DISABLE TRIGGER keep_payable")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE payouts_payable ENABLE TRIGGER keep_payable")


def only_this_ends(pool: Pool, slip: PlacedBet, end: datetime) -> None:
    due = Payable.objects.filter(pool=pool, state=PayableState.DUE)
    due.update(payable_until=end + timedelta(days=1))
    due.filter(ticket=slip.bet.ticket).update(payable_until=end)


def wait_until(instant: datetime) -> None:
    left = (instant - clock.now()).total_seconds()
    if left > 0:
        time.sleep(left)


def attempt(slip: PlacedBet, till: Till) -> str:
    try:
        pay(slip, till)
    except DomainError as refusal:
        return refusal.code
    return "paid"
