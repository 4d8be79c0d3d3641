"""Closing against acceptance (C30, D-11) and signing against signing (C21): real threads, and what locks are for."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Barrier, Event, Thread
from time import monotonic, sleep

import pytest
from django.db import connection

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Role, User
from pools import locks
from pools.models import Bet, Commitment, Pool, PoolState, Protocol, ProtocolSignature, ResultEntry
from pools.services import closing, protocols, registering, together
from pools.services.attempts import Attempt, NewBet
from pools.services.betting import PlacedBet
from pools.services.closing import close_pool, open_pool, seal_bets
from pools.services.protocols import sign_protocol
from pools.services.results import ResultProgress, enter_result
from tests.concurrency.racing import race
from tests.making import PASSPHRASE, bet_from_account, bet_in_cash, make_player, make_pool, make_till, make_user
from tests.resulting import close_by_clock, draw_up, make_result, members_of
from totalizator.core.advisory import LockSpace
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30  # seconds; a test that waits so long has failed


class SlowBet:
    """A bet that stops in the middle of its transaction, its lock taken and its row not written, until let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inside, self.go = Event(), Event()

        def stop_and_register(wanted: Sequence[tuple[Attempt, NewBet]]) -> list[Bet]:
            self.inside.set()
            assert self.go.wait(PATIENCE)
            return registering.register_together(wanted)

        monkeypatch.setattr(together, "register_together", stop_and_register)

    def start(self, pool: Pool, player: User) -> Thread:
        thread = Thread(target=in_own_connection(lambda: bet_from_account(pool, player, "1;1;1", 100)))
        thread.start()
        assert self.inside.wait(PATIENCE)
        return thread


def in_own_connection(act: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    return run


def wait_for_a_waiting_lock(pool: Pool) -> None:
    """Return once somebody stands in line for the pool's lock."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                " AND classid = %s AND objid = %s",
                [int(LockSpace.POOL), pool.pk],
            )
            if cursor.fetchone() != (0,):
                return
        sleep(0.01)
    raise AssertionError("nobody waits for the pool's lock")


def close_early(pool: Pool, organizer: User) -> None:
    close_pool(code=pool.code, actor="test", early_by=organizer)


def sealed_count(pool: Pool) -> tuple[int, int]:
    document = json.loads(Commitment.objects.get(pool=pool).document_text)
    return document["count"], document["turnover"]


def test_d11_closing_waits_for_a_bet_being_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, player, organizer = make_pool(), make_player(1_000), make_user(Role.ORGANIZER)
    bet = SlowBet(monkeypatch)
    betting_thread = bet.start(pool, player)
    closing_thread = Thread(target=in_own_connection(lambda: close_early(pool, organizer)))
    closing_thread.start()
    wait_for_a_waiting_lock(pool)
    assert Pool.objects.get(pk=pool.pk).state == PoolState.ANNOUNCED
    bet.go.set()
    for thread in (betting_thread, closing_thread):
        thread.join(PATIENCE)
    closed = Pool.objects.get(pk=pool.pk)
    assert closed.state == PoolState.CLOSED
    assert closed.closed_at is not None
    assert Bet.objects.get(pool=pool).registered_at < closed.closed_at
    assert sealed_count(pool) == (1, 100)


def set_guard(state: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE pools_bet {state} TRIGGER only_on_sale")


@contextmanager
def without_the_databases_guard() -> Iterator[None]:
    """Let bets be written into any pool for the block."""
    set_guard("DISABLE")
    try:
        yield
    finally:
        set_guard("ENABLE")


def test_d11_negative_control_without_the_lock_a_bet_lands_after_the_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same race with the lock taken away: the pool is closed and sealed, and then the bet is written.

    The database's own guard of the same is put aside for it.
    """
    pool, player, organizer = make_pool(), make_player(1_000), make_user(Role.ORGANIZER)
    for name in ("lock_shared", "lock_exclusive"):
        monkeypatch.setattr(locks, name, lambda *_: None)
    bet = SlowBet(monkeypatch)
    with without_the_databases_guard():
        betting_thread = bet.start(pool, player)
        close_early(pool, organizer)
        assert sealed_count(pool) == (0, 0)
        bet.go.set()
        betting_thread.join(PATIENCE)
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED
    assert Bet.objects.filter(pool=pool).count() == 1  # sold, and outside the sealed set: what the lock prevents


def test_c30_bets_racing_the_closing_are_either_sealed_or_refused() -> None:
    """Eight tills sell while the organizer closes: what was taken is what is sealed, to the kopeck."""
    pool, organizer = make_pool(), make_user(Role.ORGANIZER)
    open_pool(code=pool.code, actor="test")
    tills = [make_till() for _ in range(8)]

    def sell_until_refused(number: int) -> int:
        for sold in range(500):
            try:
                bet_in_cash(pool, tills[number], "1;X;2", 100, key=f"{number}-{sold}")
            except DomainError as refusal:
                return sold if refusal.code is Refusal.POOL_CLOSED else -1
        raise AssertionError("the pool never closed")

    def close_after_some() -> int:
        while Bet.objects.filter(pool=pool).count() < 40:
            sleep(0.01)
        close_early(pool, organizer)
        return 0

    acts: list[Callable[[], int]] = [partial(sell_until_refused, number) for number in range(8)]
    counts = [result for result in race([*acts, close_after_some]) if isinstance(result, int)]
    assert len(counts) == 9
    assert min(counts) >= 0
    sold = sum(counts)
    assert sold >= 40
    assert Bet.objects.filter(pool=pool).count() == sold
    assert entries_balance(ledger_account(AccountKind.POOL_POT, pool.code)) == 100 * sold
    assert sealed_count(pool) == (sold, 100 * sold)
    closed_at = Pool.objects.get(pk=pool.pk).closed_at
    assert closed_at is not None
    assert not Bet.objects.filter(pool=pool, registered_at__gte=closed_at).exists()


def test_a_pool_closed_by_two_jobs_at_once_is_closed_and_sealed_once() -> None:
    pool = make_pool()
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)
    organizer = make_user(Role.ORGANIZER)
    results = race([partial(close_early, pool, organizer)] * 4)
    assert [result.code for result in results if isinstance(result, DomainError)] == [Refusal.WRONG_STATE] * 3
    for act in ("close_pool", "seal_bets"):
        assert JournalRecord.objects.filter(act=act).count() == 1
    assert sealed_count(pool) == (1, 100)


def test_a_pool_sealed_by_four_jobs_at_once_is_sealed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool()
    bet_from_account(pool, make_player(1_000), "1;1;1", 100)
    with monkeypatch.context() as patched:
        patched.setattr(closing, "seal_bets", lambda **_: None)
        close_by_clock(pool)
    results = race([partial(seal_bets, code=pool.code, actor="test")] * 4)
    assert {result.pk for result in results if isinstance(result, Commitment)} == {pool.pk}
    assert len(results) == 4
    assert JournalRecord.objects.filter(act="seal_bets").count() == 1


def ready_to_sign() -> tuple[Pool, list[User]]:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    return pool, members_of(pool)


def test_c21_three_members_sign_at_once_and_it_is_sealed_once() -> None:
    pool, members = ready_to_sign()
    signing = [partial(sign_protocol, code=pool.code, member=member, passphrase=PASSPHRASE) for member in members]
    results = race(signing)
    assert sorted(result for result in results if isinstance(result, bool)) == [False, True]
    (refusal,) = [result for result in results if isinstance(result, DomainError)]
    assert (refusal.code, refusal.http_status) == (Refusal.WRONG_STATE, 409)
    assert ProtocolSignature.objects.filter(pool=pool).count() == 2
    assert Pool.objects.get(pk=pool.pk).state == PoolState.RESULTED
    assert JournalRecord.objects.filter(act="seal_protocol").count() == 1


def test_c21_negative_control_without_the_lock_nobody_sees_the_last_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sign at once with the lock taken away: each counts only its own signature, and the pool stays unsealed."""
    pool, members = ready_to_sign()
    monkeypatch.setattr(locks, "lock_exclusive", lambda *_: None)
    count = protocols._seal_if_enough
    both_signed = SignedByBoth()

    def count_when_both_have_signed(*args: object) -> bool:
        both_signed.wait()
        sealed = count(*args)  # type: ignore[arg-type]
        both_signed.wait()  # counted by both before either commits
        return sealed

    monkeypatch.setattr(protocols, "_seal_if_enough", count_when_both_have_signed)
    results = race(
        [partial(sign_protocol, code=pool.code, member=member, passphrase=PASSPHRASE) for member in members[:2]]
    )
    assert results == [False, False]
    assert ProtocolSignature.objects.filter(pool=pool).count() == 2
    assert Protocol.objects.get(pool=pool).sealed_at is None


class SignedByBoth:
    """Where two threads wait for each other, their signatures written and not committed."""

    def __init__(self) -> None:
        self._barrier = Barrier(2)

    def wait(self) -> None:
        self._barrier.wait(timeout=PATIENCE)


def test_three_members_enter_at_once_and_one_protocol_is_drawn_up() -> None:
    pool = close_by_clock(make_pool())
    result = make_result(pool, "1;X;2")
    entering = [partial(enter_result, code=pool.code, member=member, result=result) for member in members_of(pool)]
    results = race(entering)
    progress = [result for result in results if isinstance(result, ResultProgress)]
    assert sorted(step.entries for step in progress) == [1, 2]
    (refusal,) = [result for result in results if isinstance(result, DomainError)]
    assert refusal.code is Refusal.WRONG_STATE
    assert ResultEntry.objects.filter(pool=pool).count() == 2
    assert Protocol.objects.filter(pool=pool).count() == 1


def test_bets_in_another_pool_do_not_wait_for_a_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one pool's closing waits for a slow bet, the next pool sells (C29)."""
    pool, other = make_pool(), make_pool()
    player, organizer, till = make_player(1_000), make_user(Role.ORGANIZER), make_till()
    bet = SlowBet(monkeypatch)
    slow = bet.start(pool, player)
    closing_thread = Thread(target=in_own_connection(lambda: close_early(pool, organizer)))
    closing_thread.start()
    wait_for_a_waiting_lock(pool)
    placed = bet_in_cash(other, till, "1;1;1", 100)
    assert isinstance(placed, PlacedBet)
    bet.go.set()
    for thread in (slow, closing_thread):
        thread.join(PATIENCE)
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED
