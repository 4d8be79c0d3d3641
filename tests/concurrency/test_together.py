"""Bets that come at the same moment share a transaction, and each is still accepted or refused by itself."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import Event, Thread
from time import monotonic

import pytest
from django.db import OperationalError

from accounts.ledger.balances import balance
from accounts.ledger.proofs import broken_invariants
from accounts.locks import hold_play_of
from accounts.models import LimitKind, LimitPeriod, User
from accounts.services.exclusion import exclude_oneself
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from pools.locks import hold_for_bets, lock_pool
from pools.models import Bet, Pool
from pools.services import lines, together
from pools.services.attempts import Attempt, NewBet
from pools.services.betting import PlacedBet, place_bet, read_request
from pools.services.lines import Line, Wanted
from pools.services.registering import register_together
from pools.services.sources import from_game_account
from tests.concurrency.racing import race
from tests.making import bet_from_account, make_player, make_pool
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30
LOCK_TIMEOUT = 5


class Parties:
    """Watches how many bets each transaction is for; the first waits until `others` stand behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, pool: Pool, others: int) -> None:
        self.sizes: list[int] = []
        line = together.line_of(pool)

        def hold(pool_id: int, person_ids: Sequence[int]) -> Iterable[bool]:
            self.sizes.append(len(person_ids))
            if len(self.sizes) == 1:
                wait_until(lambda: len(line._waiting) == others)
            return hold_for_bets(pool_id, person_ids)

        monkeypatch.setattr(together, "hold_for_bets", hold)


def wait_until(reached: Callable[[], bool]) -> None:
    pause = Event()
    for _ in range(PATIENCE * 100):
        if reached():
            return
        pause.wait(0.01)
    raise AssertionError("nobody came")


def bets_of(pool: Pool, players: Sequence[User]) -> list[Callable[[], object]]:
    return [partial(bet_from_account, pool, player, "1;1;1", 100) for player in players]


def test_those_who_come_while_one_is_placed_are_placed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, players = make_pool(), [make_player(250) for _ in range(6)]
    parties = Parties(monkeypatch, pool, others=5)
    placed = race(bets_of(pool, players))
    assert parties.sizes == [1, 5]
    tickets = {result.bet.ticket: result.bet for result in placed if isinstance(result, PlacedBet)}
    kept = {bet.ticket: bet for bet in Bet.objects.filter(pool=pool).select_related("paid_from")}
    assert tickets.keys() == kept.keys()
    assert len(kept) == 6
    for ticket, bet in kept.items():
        told = tickets[ticket]
        assert (told.player_id, told.paid_from_id, told.bits, told.registered_at) == (
            bet.player_id,
            bet.paid_from_id,
            bet.bits,
            bet.registered_at,
        )
        assert balance(bet.paid_from) == 150
        assert JournalRecord.objects.get(subject=f"bet:{ticket}").actor == f"user:{bet.player_id}"
    assert broken_invariants() == []


def test_what_stands_against_one_stands_against_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six who come together one is poor, one has a limit, one has excluded himself: three are placed."""
    pool, rich = make_pool(), [make_player(100) for _ in range(4)]
    poor, limited, excluded = make_player(99), make_player(1_000), make_player(1_000)
    set_limit(person=person_of(limited), kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=50, actor="test")
    exclude_oneself(person=person_of(excluded), months=6, actor="test")
    Parties(monkeypatch, pool, others=6)
    results = race(bets_of(pool, [*rich, poor, limited, excluded]))
    assert all(isinstance(result, PlacedBet) for result in results[:4])
    refusals = [result.code for result in results[4:] if isinstance(result, DomainError)]
    assert refusals == [Refusal.INSUFFICIENT_FUNDS, Refusal.LIMIT_REACHED, Refusal.MAY_NOT_PLAY]
    assert Bet.objects.filter(pool=pool).count() == 4
    assert broken_invariants() == []


def test_c38_one_request_sent_by_eight_hands_is_one_bet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A party never holds two bets of one person, so the second finds the first one's ticket."""
    pool, player = make_pool(), make_player(1_000)
    source = from_game_account(player)
    Parties(monkeypatch, pool, others=7)
    request = partial(
        place_bet, pool_code=pool.code, selections="1;1;1", stake=100, source=source, idempotency_key="k" * 32
    )
    results = race([request] * 8)
    placed = [result for result in results if isinstance(result, PlacedBet)]
    assert len(placed) == 8
    assert len({result.bet.ticket for result in placed}) == 1
    assert sorted(result.replayed for result in placed) == [False] + [True] * 7
    assert balance(source.account) == 900


def test_a_party_that_is_lost_is_placed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something breaks when the party's bets have been written and not committed: everybody goes alone."""
    pool, players = make_pool(), [make_player(100) for _ in range(5)]
    line = together.line_of(pool)
    written: list[int] = []

    def write_and_die(wanted: Sequence[tuple[Attempt, NewBet]]) -> list[Bet]:
        if not written:
            written.append(len(wanted))
            wait_until(lambda: len(line._waiting) == 4)
            return register_together(wanted)
        written.append(len(register_together(wanted)))
        raise OperationalError("the server is out of memory")

    monkeypatch.setattr(together, "register_together", write_and_die)

    results = race(bets_of(pool, players))
    assert written == [1, 4]
    assert all(isinstance(result, PlacedBet) for result in results)
    assert Bet.objects.filter(pool=pool).count() == 5
    assert {balance(from_game_account(player).account) for player in players} == {0}
    assert broken_invariants() == []


def test_who_is_held_by_somebody_else_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bet waits for nobody else's person: five are placed while the sixth's play is held."""
    pool, players = make_pool(), [make_player(100) for _ in range(6)]
    held, go = Event(), Event()

    def hold() -> None:
        with one_transaction():
            hold_play_of(person_of(players[0]))
            held.set()
            assert go.wait(PATIENCE)

    def let_go_when_the_others_are_placed() -> None:
        wait_until(lambda: Bet.objects.filter(pool=pool).count() == 5)
        go.set()

    holder = Thread(target=partial(race, [hold]))
    holder.start()
    assert held.wait(PATIENCE)
    results = race([*bets_of(pool, players), let_go_when_the_others_are_placed])
    holder.join(PATIENCE)
    assert all(isinstance(result, PlacedBet) for result in results[:6])
    assert {balance(from_game_account(player).account) for player in players} == {0}


def test_negative_control_two_bets_of_one_person_in_a_party_would_pass_his_limit() -> None:
    """Both are judged by what was before either, so a party takes one bet of each; and two would not be written."""
    pool, player = make_pool(), make_player(1_000)
    set_limit(person=person_of(player), kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=100, actor="test")
    source, person = from_game_account(player), person_of(player)
    party = [Wanted(source, person, read_request(pool, "1;1;1", 100, source, f"{number}" * 32)) for number in range(2)]
    with one_transaction():
        assert len(together._fit(pool, party)) == 2
    together._place(pool, party)
    assert not Bet.objects.filter(pool=pool).exists(), "what is debited once pays for one bet"


def test_one_bet_of_each_person_is_taken_along() -> None:
    pool, player, other = make_pool(), make_player(1_000), make_player(1_000)
    line = Line()

    def wanted(of: User, key: str) -> Wanted:
        source = from_game_account(of)
        return Wanted(source, person_of(of), read_request(pool, "1;1;1", 100, source, key * 32))

    first, second, third = wanted(player, "1"), wanted(player, "2"), wanted(other, "3")
    line._waiting = [second, third]
    assert line._take_along(first) == [third]
    assert line._waiting == [second]


def test_c29_bets_of_a_pool_that_somebody_holds_are_all_told_so_after_one_wait() -> None:
    """They do not wait one after another: four bets, two of one person, are answered in the time of one."""
    pool, players = make_pool(), [make_player(1_000) for _ in range(3)]
    held, go = Event(), Event()

    def hold() -> None:
        with one_transaction():
            lock_pool(pool.code)
            held.set()
            assert go.wait(PATIENCE)

    holder = Thread(target=partial(race, [hold]))
    holder.start()
    assert held.wait(PATIENCE)
    began = monotonic()
    results = race(bets_of(pool, [*players, players[0]]))
    took = monotonic() - began
    go.set()
    holder.join(PATIENCE)
    assert [result.code for result in results if isinstance(result, DomainError)] == [Refusal.BUSY] * 4
    assert took < 2 * LOCK_TIMEOUT
    assert not Bet.objects.filter(pool=pool).exists()


def test_a_leader_who_falls_leaves_the_line_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, players = make_pool(), [make_player(100) for _ in range(2)]
    take_along = Line._take_along
    fallen: list[bool] = []

    def fall_once(line: Line, first: Wanted) -> list[Wanted]:
        if not fallen:
            fallen.append(True)
            raise MemoryError
        return take_along(line, first)

    monkeypatch.setattr(Line, "_take_along", fall_once)
    with pytest.raises(MemoryError):
        bet_from_account(pool, players[0], "1;1;1", 100)
    assert isinstance(bet_from_account(pool, players[1], "1;1;1", 100), PlacedBet)


def test_who_is_not_called_in_time_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A leader that hangs holds nobody up for longer than a lock would."""
    monkeypatch.setattr(lines, "PATIENCE_SECONDS", 0.2)
    pool, players = make_pool(), [make_player(100) for _ in range(2)]
    inside, go = Event(), Event()

    def hang(pool_id: int, person_ids: Sequence[int]) -> Iterable[bool]:
        if not inside.is_set():
            inside.set()
            assert go.wait(PATIENCE)
        return hold_for_bets(pool_id, person_ids)

    monkeypatch.setattr(together, "hold_for_bets", hang)
    hanging = Thread(target=partial(race, bets_of(pool, players[:1])))
    hanging.start()
    assert inside.wait(PATIENCE)
    (placed,) = race(bets_of(pool, players[1:]))
    assert isinstance(placed, PlacedBet)
    assert together.line_of(pool)._waiting == []
    go.set()
    hanging.join(PATIENCE)
    assert Bet.objects.filter(pool=pool).count() == 2
