"""Settlements that race each other, the jackpot and the tills. Real threads, and what happens without the locks."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Barrier, Event, Thread
from time import monotonic
from typing import Any

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from accounts.ledger.kinds import TransferKind
from accounts.ledger.posting import DuplicateTransfer
from accounts.models import LedgerAccount, Transfer
from payouts.services import crediting
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.paying import settle_payables
from pools import tasks
from pools.locks import find_pool
from pools.models import Bet, Pool, PoolState, Settlement, Winning
from pools.services import calculating, confirming, settlement_money
from pools.services.protocols import sign_protocol
from pools.services.settling import settle_pool
from tests.concurrency.racing import race
from tests.making import (
    PASSPHRASE,
    bet_from_account,
    bet_in_cash,
    keep_register_fresh,
    make_player,
    make_pool,
    make_till,
)
from tests.paying import broken, go_to, money_of, payable_from
from tests.resulting import close_by_clock, draw_up, members_of, seal
from tests.settling import jackpot_of, moved, pot_of, sell, settle
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30  # seconds


def resulted_pool(winners: int = 20, **terms: object) -> Pool:
    pool = make_pool("sportloto-variant", terms=terms)
    sell(pool, *[("1", 100)] * winners, ("2", 100))
    close_by_clock(pool)
    return seal(pool, "1")


def settle_now(pool: Pool) -> Settlement:
    return settle_pool(code=pool.code, actor="test")


def in_thread(act: Callable[[], object]) -> Thread:
    """Start an act in a thread with a connection of its own."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


def test_c21_two_members_sign_and_settle_at_once() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, *[("1", 100)] * 20)
    close_by_clock(pool)
    draw_up(pool, "1")
    first, second = members_of(pool)[:2]

    def sign_and_settle(number: int) -> Settlement | bool:
        member = (first, second)[number]
        sealed = sign_protocol(code=pool.code, member=member, passphrase=PASSPHRASE)
        return settle_now(pool) if sealed else False

    results = race([partial(sign_and_settle, number) for number in (0, 1)])
    assert sorted(isinstance(result, Settlement) for result in results) == [False, True]
    assert (Settlement.objects.count(), Winning.objects.filter(pool=pool).count()) == (1, 20)


def test_c21_of_two_settlements_at_once_one_is_refused() -> None:
    pool = resulted_pool()
    results = race([partial(settle_now, pool)] * 2)
    (refusal,) = [result for result in results if isinstance(result, DomainError)]
    assert (refusal.code, refusal.http_status) == (Refusal.WRONG_STATE, 409)
    assert (Settlement.objects.count(), Winning.objects.filter(pool=pool).count()) == (1, 20)
    assert moved(pool, TransferKind.WINNINGS) == 1_460
    assert JournalRecord.objects.filter(act="settle_pool").count() == 1
    assert pot_of(pool) == 0


def test_c21_negative_control_without_the_lock_only_the_ledgers_keys_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both read the state before either writes: the second is stopped by its transfers' keys, not by the state."""
    pool = resulted_pool()
    calculating.calculate_settlement(code=pool.code, actor="test")
    both_have_read = Barrier(2)

    def read_without_lock(code: str) -> Pool:
        found = find_pool(code)
        both_have_read.wait(PATIENCE)
        return found

    monkeypatch.setattr(confirming, "lock_pool", read_without_lock)

    def confirm() -> Settlement | Exception:
        try:
            return confirming.confirm_settlement(code=pool.code, actor="test")
        except DuplicateTransfer as fault:
            return fault

    results = race([confirm] * 2)
    assert sorted(type(result).__name__ for result in results) == ["DuplicateTransfer", "Settlement"]
    assert moved(pool, TransferKind.WINNINGS) == 1_460


def test_c50_two_workers_get_the_same_message() -> None:
    pools = [resulted_pool(winners=3) for _ in range(3)]
    race([tasks.settle_due_pools] * 4)
    assert [find_pool(pool.code).state for pool in pools] == [PoolState.SETTLED] * 3
    assert JournalRecord.objects.filter(act="settle_pool").count() == 3
    assert not JournalRecord.objects.filter(act="settle_pool_failed").exists()


def test_c51_a_message_redelivered_in_the_middle_leaves_the_work_to_who_is_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = resulted_pool()
    begun, go_on = Event(), Event()
    runs = []
    again = confirming.settle_again

    def slow(*arguments: object) -> object:
        runs.append(1)
        begun.set()
        assert go_on.wait(PATIENCE)
        return again(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(confirming, "settle_again", slow)
    worker = in_thread(tasks.settle_due_pools)
    assert begun.wait(PATIENCE)
    started = monotonic()
    tasks.settle_due_pools()
    assert monotonic() - started < 2
    assert (len(runs), find_pool(pool.code).state) == (1, PoolState.RESULTED)
    go_on.set()
    worker.join(PATIENCE)
    assert (len(runs), find_pool(pool.code).state) == (1, PoolState.SETTLED)
    assert moved(pool, TransferKind.WINNINGS) == 1_460


def test_c29_while_a_pool_is_being_settled_the_tills_sell_other_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    player = make_player(10_000)
    settled = make_pool("sportloto-variant")
    bet_from_account(settled, player, "1", 100)
    sell(settled, *[("1", 100)] * 19, ("2", 100))
    close_by_clock(settled)
    settled = seal(settled, "1")
    other, till = make_pool("sportloto-variant"), make_till()
    holding, go_on = Event(), Event()

    def hold(*_arguments: object) -> None:
        holding.set()
        assert go_on.wait(PATIENCE)

    monkeypatch.setattr(calculating, "refuse_wrong_rows", hold)
    worker = in_thread(partial(settle_now, settled))
    assert holding.wait(PATIENCE)
    try:
        slowest = 0.0
        for number in range(20):
            started = monotonic()
            bet_in_cash(other, till, "1", 100, key=f"other-{number}")
            bet_from_account(other, player, "1", 100)  # who plays in that pool, too
            slowest = max(slowest, monotonic() - started)
        assert slowest < 1
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        with pytest.raises(DomainError) as busy:
            bet_in_cash(settled, till, "1", 100)
        assert (busy.value.code, busy.value.http_status) == (Refusal.BUSY, 503)
    finally:
        go_on.set()
        worker.join(PATIENCE)
        connection.close()
    assert (Bet.objects.filter(pool=other).count(), Bet.objects.filter(pool=settled).count()) == (40, 21)
    assert find_pool(settled.code).state == PoolState.SETTLED


# -- Two pools that draw the same jackpot ---------------------------------------------------------------------


def test_c29_while_winnings_are_credited_their_players_bet_on_other_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    player = make_player(1_000)
    won, other = make_pool("sportloto-variant"), make_pool("sportloto-variant", lasts=timedelta(days=9))
    bet_from_account(won, player, "1", 100)
    settle(won, "1")
    book_payables(code=won.code)
    go_to(payable_from(won))
    keep_register_fresh()
    holding, go_on, done = Event(), Event(), settle_payables

    def hold(*arguments: Any, **told: Any) -> None:
        holding.set()
        assert go_on.wait(PATIENCE)
        done(*arguments, **told)

    monkeypatch.setattr(crediting, "settle_payables", hold)
    worker = in_thread(partial(credit_accounts, code=won.code))
    assert holding.wait(PATIENCE)
    try:
        started = monotonic()
        bet_from_account(other, player, "1", 100)
        assert monotonic() - started < 1
    finally:
        go_on.set()
        worker.join(PATIENCE)
    assert (money_of(player), broken()) == (1_000 - 200 + 70 - 4, [])  # less the tax of 5 %


def two_jackpot_pools() -> tuple[Pool, Pool]:
    feeding = make_pool("sportloto-variant", terms={"fund": "1", "price": {"line": 5_000}})
    sell(feeding, ("2", 5_000))
    settle(feeding, "1")
    draws = {"jackpot": {"level": "all", "share": "1"}}
    return resulted_pool(winners=1, **draws), resulted_pool(winners=1, **draws)


def test_two_pools_that_draw_the_jackpot_at_once_take_it_once() -> None:
    one, other = two_jackpot_pools()
    settlements = race([partial(settle_now, one), partial(settle_now, other)])
    assert sorted(s.jackpot_in for s in settlements if isinstance(s, Settlement)) == [0, 5_000]
    assert sorted(Winning.objects.exclude(amount=0).values_list("amount", flat=True)) == [140, 5_140]
    assert jackpot_of(one.game) == 0
    assert Transfer.objects.filter(key="jackpot-in").count() == 1


def test_negative_control_without_its_lock_the_jackpot_is_taken_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two_jackpot_pools()
    both_have_read = Barrier(2)

    def read_and_wait(account: LedgerAccount) -> int:
        amount = balance(account)
        both_have_read.wait(PATIENCE)
        return amount

    monkeypatch.setattr(settlement_money, "lock_jackpot", lambda _game: None)
    monkeypatch.setattr(settlement_money, "balance", read_and_wait)
    race([partial(settle_now, one), partial(settle_now, other)])
    assert jackpot_of(one.game) == -5_000
