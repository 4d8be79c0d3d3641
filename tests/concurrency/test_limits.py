"""Bets that race for one limit, with its changes, with exclusion, and with a second account. Real threads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from threading import Event

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from accounts.locks import hold_play_of
from accounts.models import Identity, LimitKind, LimitPeriod, Person, User
from accounts.services import exclusion, limits, topups
from accounts.services.exclusion import exclude_oneself
from accounts.services.identity import record_identity
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from pools.locks import hold_pool_shared
from pools.models import Bet, Pool
from pools.queries.played import lost_since, staked_since
from pools.services import betting, players
from tests.concurrency.racing import race
from tests.making import account_of, bet_from_account, make_player, make_pool, put_on_account
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def limited_player(kind: LimitKind, amount: int) -> User:
    player = make_player(100_000)
    set_limit(person=person_of(player), kind=kind, period=LimitPeriod.DAY, amount=amount, actor="test")
    return player


def staked(player: User) -> int:
    (staked,) = staked_since(person_of(player), clock.now() - LimitPeriod.DAY.length)
    return staked


def bets(pool: Pool, player: User, count: int) -> list[Callable[[], object]]:
    return [partial(bet_from_account, pool, player, "1;1;1", 100) for _ in range(count)]


def test_parallel_bets_never_pass_one_limit() -> None:
    pool, player = make_pool(), limited_player(LimitKind.STAKE, 300)
    results = race(bets(pool, player, 8))
    refusals = [result.code for result in results if isinstance(result, DomainError)]
    assert refusals == [Refusal.LIMIT_REACHED] * 5
    assert staked(player) == 300


def test_negative_control_without_the_persons_lock_the_limit_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bet reads the sum before any of them is written."""
    monkeypatch.setattr(betting, "hold_for_bet", lambda pool_id, _person_id: hold_pool_shared(pool_id))
    monkeypatch.setattr(betting, "place_together", lambda *_: None)
    original = lost_since

    def read_and_wait(person: Person, since: object) -> list[int]:
        total = original(person, since)  # type: ignore[arg-type]
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")
        return total

    monkeypatch.setattr(players, "_USED", {LimitKind.LOSS: read_and_wait})
    pool, player = make_pool(), limited_player(LimitKind.LOSS, 300)
    race(bets(pool, player, 6))
    assert staked(player) > 300


def test_a_limit_that_is_lowered_meanwhile_counts_the_bets_before_it_and_stops_those_after() -> None:
    for _ in range(5):
        pool, player = make_pool(), limited_player(LimitKind.STAKE, 100_000)
        lower = partial(
            set_limit,
            person=person_of(player),
            kind=LimitKind.STAKE,
            period=LimitPeriod.DAY,
            amount=200,
            actor="test",
        )
        acts: list[Callable[[], object]] = [*bets(pool, player, 3), lower, *bets(pool, player, 3)]
        results = race(acts)
        assert not isinstance(results[3], DomainError)
        limit = person_of(player).limits.get()
        made = Bet.objects.filter(player=player)
        # The limit stands from an instant: what was bet after it fits, and what was bet before it was allowed.
        if made.filter(registered_at__gt=limit.set_at).exists():
            assert staked(player) <= 200
        assert made.count() == sum(not isinstance(result, DomainError) for result in results) - 1
        assert staked(player) == 100 * made.count()
        refusal = race([partial(bet_from_account, pool, player, "1;1;1", 200)])[0]
        assert isinstance(refusal, DomainError)


def test_no_bet_follows_an_exclusion() -> None:
    for _ in range(5):
        pool, player = make_pool(), make_player(100_000)
        exclude = partial(exclude_oneself, person=person_of(player), months=6, actor="test")
        acts: list[Callable[[], object]] = [*bets(pool, player, 3), exclude, *bets(pool, player, 3)]
        results = race(acts)
        standing = person_of(player).exclusions.get()
        held = [result for result in results if isinstance(result, DomainError)]
        assert {refusal.code for refusal in held} <= {Refusal.MAY_NOT_PLAY}
        made = Bet.objects.filter(player=player)
        assert made.count() == 6 - len(held)
        late = race(bets(pool, player, 1))[0]
        assert isinstance(late, DomainError)
        assert late.details["until"] == standing.ends_at


def test_a_bet_that_waited_for_an_exclusion_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bet takes its time first, and gets the person only after the exclusion is committed."""
    pool, player = make_pool(), make_player(100_000)
    waiting = Event()

    def hold_and_let_the_bet_begin(person: Person) -> None:
        hold_play_of(person)
        waiting.set()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")

    def bet() -> object:
        assert waiting.wait(10)
        return bet_from_account(pool, player, "1;1;1", 100)

    monkeypatch.setattr(exclusion, "hold_play_of", hold_and_let_the_bet_begin)
    asked = partial(exclude_oneself, person=person_of(player), months=6, actor="test")
    acts: list[Callable[[], object]] = [asked, bet]
    _made, refusal = race(acts)
    assert isinstance(refusal, DomainError)
    assert (refusal.code, Bet.objects.count(), balance(account_of(player).ledger_account)) == (
        Refusal.MAY_NOT_PLAY,
        0,
        100_000,
    )
    assert refusal.details["until"] == person_of(player).exclusions.get().ends_at


def pay_in(player: User, number: int) -> None:
    put_on_account(account_of(player), 100, reference=f"race-{player.pk}-{number}")


def test_parallel_deposits_never_pass_one_limit() -> None:
    player = limited_player(LimitKind.DEPOSIT, 100_200)  # what it opened with was paid in today, too
    results = race([partial(pay_in, player, number) for number in range(6)])
    assert [r.code for r in results if isinstance(r, DomainError)] == [Refusal.LIMIT_REACHED] * 4


def test_negative_control_deposits_without_the_persons_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (limits, topups):
        monkeypatch.setattr(module, "hold_play_of", lambda _person: None)
    original = limits.deposited_since

    def read_and_wait(player: User, since: object) -> list[int]:
        total = original(player, since)  # type: ignore[arg-type]
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")
        return total

    monkeypatch.setattr(limits, "deposited_since", read_and_wait)
    player = limited_player(LimitKind.DEPOSIT, 100_200)
    results = race([partial(pay_in, player, number) for number in range(6)])
    assert sum(isinstance(result, DomainError) for result in results) < 4


def record(player: User) -> Identity:
    return record_identity(
        player=player,
        full_name="One Person",
        birth_date=date(1990, 5, 31),
        identity_number="3310590A001PB5",
        document="MP1234567",
        actor=player.actor,
    )


def test_of_two_accounts_with_one_identity_number_one_is_refused() -> None:
    rivals = [make_player(may_bet=False) for _ in range(6)]
    results = race([partial(record, player) for player in rivals])
    refusals = [result.code for result in results if isinstance(result, DomainError)]
    assert refusals == [Refusal.PERSON_KNOWN] * 5
    assert Identity.objects.count() == 1


@contextmanager
def without_unique_numbers() -> Iterator[None]:
    """Take away what keeps a number to one account, and bring it back."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_identity DROP CONSTRAINT accounts_identity_claimed_digest_key")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM accounts_identity")
            cursor.execute(
                "ALTER TABLE accounts_identity ADD CONSTRAINT accounts_identity_claimed_digest_key"
                " UNIQUE (claimed_digest)"
            )


def test_negative_control_without_the_constraint_one_person_has_many_accounts() -> None:
    rivals = [make_player(may_bet=False) for _ in range(6)]
    with without_unique_numbers():
        for _ in range(5):
            race([partial(record, player) for player in rivals])
            if Identity.objects.count() > 1:
                break
            Identity.objects.all().delete()
        assert Identity.objects.count() > 1
