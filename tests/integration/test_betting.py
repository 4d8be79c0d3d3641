"""Accepting a bet: paid and registered, both or neither (¶9.11-9.14, ¶25-28)."""

from datetime import timedelta

import pytest

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Entry, User
from pools.models import Bet, Pool
from pools.services.tickets import code_matches, pool_code_of
from tests.bet_clock import stop_clock
from tests.making import account_of, bet_from_account, bet_in_cash, make_player, make_pool, make_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def refused(pool: Pool, player: User, selections: str, stake: int) -> DomainError:
    """Bet, expect a refusal, and check that it left nothing behind."""
    before = (Bet.objects.count(), Entry.objects.count(), JournalRecord.objects.count())
    money = balance(account_of(player).ledger_account)
    with pytest.raises(DomainError) as caught:
        bet_from_account(pool, player, selections, stake)
    assert (Bet.objects.count(), Entry.objects.count(), JournalRecord.objects.count()) == before
    assert balance(account_of(player).ledger_account) == money
    return caught.value


def test_an_accepted_bet_is_debited_registered_and_journalled() -> None:
    pool, player = make_pool(), make_player(1_000)
    placed = bet_from_account(pool, player, "1;X;1+2", 200)
    bet = Bet.objects.get(pool=pool, ticket=placed.bet.ticket)
    assert (bet.bits, bet.lines, bet.stake, bet.player) == ("100010101", 2, 200, player)
    assert pool_code_of(bet.ticket) == pool.code
    assert bet.terms_digest == pool.terms_digest
    assert pool.opens_at <= bet.registered_at < pool.closes_at
    assert balance(account_of(player).ledger_account) == 800
    assert entries_balance(ledger_account(AccountKind.POOL_POT, pool.code), book=pool.pk) == 200
    record = JournalRecord.objects.get(act="place_bet")
    assert (record.actor, record.subject) == (player.actor, f"bet:{bet.ticket}")
    assert record.after == {"lines": 2, "stake": 200, "channel": "account"}


def test_cash_goes_into_the_till() -> None:
    pool, till = make_pool(), make_till()
    placed = bet_in_cash(pool, till, "1;1;1", 100)
    assert balance(till.ledger_account) == 100
    assert placed.bet.sold_by == till.cashier


def test_the_check_code_is_not_in_the_database_but_can_be_checked() -> None:
    pool, till = make_pool(), make_till()
    placed = bet_in_cash(pool, till, "1;1;1", 100)
    bet = Bet.objects.get(ticket=placed.bet.ticket)
    assert len(placed.check_code) == 14
    assert code_matches(bet.ticket, placed.check_code.lower(), bet.check_hash)
    assert not code_matches(bet.ticket, placed.check_code[:-1] + "?", bet.check_hash)


@pytest.mark.parametrize(
    ("selections", "stake", "code", "field"),
    [
        ("1;X", 100, Refusal.BAD_SELECTION, "selections"),
        ("1;X;3", 100, Refusal.BAD_SELECTION, "selections"),
        ("1;;X", 100, Refusal.BAD_SELECTION, "selections"),
        ("", 100, Refusal.BAD_SELECTION, "selections"),
        ("1;X;1", 99, Refusal.BAD_STAKE, "stake"),  # part-paid (¶9.13)
        ("1;X;1+2", 100, Refusal.BAD_STAKE, "stake"),
        ("1;X;1", 0, Refusal.BAD_STAKE, "stake"),
        ("1;X;1", -100, Refusal.BAD_STAKE, "stake"),
    ],
)
def test_a_bad_bet_is_refused_and_leaves_nothing(selections: str, stake: int, code: Refusal, field: str) -> None:
    error = refused(make_pool(), make_player(1_000), selections, stake)
    assert (error.code, error.field) == (code, field)


@pytest.mark.parametrize(("stake", "allowed"), [(99, False), (100, True), (5_000, True), (5_001, False)])
def test_totolot_takes_stakes_between_its_bounds(stake: int, *, allowed: bool) -> None:
    pool = make_pool("totolot-position", terms={"price": {"min": 100, "max": 5_000}})
    player = make_player(10_000)
    if allowed:
        assert bet_from_account(pool, player, "1;X;2", stake).bet.stake == stake
    else:
        assert refused(pool, player, "1;X;2", stake).code is Refusal.BAD_STAKE


def test_a_totolot_system_stake_must_divide_over_its_lines() -> None:
    pool, player = make_pool("totolot-position"), make_player(10_000)
    assert refused(pool, player, "1+X;1;1", 201).code is Refusal.BAD_STAKE  # D-10
    assert bet_from_account(pool, player, "1+X;1;1", 202).bet.lines == 2


def test_more_than_the_money_is_refused_with_the_missing_sum() -> None:
    error = refused(make_pool(), make_player(99), "1;1;1", 100)
    assert error.code is Refusal.INSUFFICIENT_FUNDS
    assert (error.details["needed"], error.details["available"]) == (100, 99)


def test_c30_the_closing_instant_itself_is_too_late() -> None:
    pool, player = make_pool(is_open=False), make_player(1_000)
    assert refused(pool, player, "1;1;1", 100).code is Refusal.NOT_OPEN_YET
    clock.move_clock(pool.opens_at - clock.now() + timedelta(seconds=1))
    bet_from_account(pool, player, "1;1;1", 100)
    clock.move_clock(pool.closes_at - clock.now() - timedelta(seconds=5))
    bet_from_account(pool, player, "1;1;1", 100)
    clock.move_clock(timedelta(seconds=6))
    assert refused(pool, player, "1;1;1", 100).code is Refusal.POOL_CLOSED


@pytest.mark.parametrize(("early", "taken"), [(timedelta(microseconds=1_000), True), (timedelta(0), False)])
def test_c30_by_the_millisecond(monkeypatch: pytest.MonkeyPatch, early: timedelta, *, taken: bool) -> None:
    """The clock is stopped at, or one millisecond before, the closing instant."""
    pool, player = make_pool(), make_player(1_000)
    stop_clock(monkeypatch, lambda: pool.closes_at - early)
    if taken:
        assert bet_from_account(pool, player, "1;1;1", 100).bet.registered_at == pool.closes_at - early
    else:
        assert refused(pool, player, "1;1;1", 100).code is Refusal.POOL_CLOSED


def test_c37_the_same_key_with_another_body_is_refused() -> None:
    pool, player = make_pool(), make_player(10_000)
    first = bet_from_account(pool, player, "1;1;1", 100, key="K")
    again = bet_from_account(pool, player, "1;1;1", 100, key="K")
    assert (again.bet.ticket, again.check_code, again.replayed) == (first.bet.ticket, first.check_code, True)
    with pytest.raises(DomainError) as caught:
        bet_from_account(pool, player, "1;1;1+X", 200, key="K")
    assert caught.value.code is Refusal.KEY_REUSED
    assert Bet.objects.count() == 1


def test_c37_the_same_key_from_another_till_is_another_key() -> None:
    pool, one, other = make_pool(), make_till(), make_till()
    first = bet_in_cash(pool, one, "1;1;1", 100, key="K")
    second = bet_in_cash(pool, other, "1;1;1", 100, key="K")
    assert first.bet.ticket != second.bet.ticket
    assert not second.replayed


def test_a_repeated_request_is_answered_even_after_closing() -> None:
    pool, player = make_pool(), make_player(1_000)
    first = bet_from_account(pool, player, "1;1;1", 100, key="K")
    clock.move_clock(timedelta(days=2))
    assert bet_from_account(pool, player, "1;1;1", 100, key="K").bet.ticket == first.bet.ticket


def test_c39_an_exploding_system_is_refused_before_it_is_multiplied_out() -> None:
    pool, player = make_pool(conditions=10, terms={"price": {"line": 10}}), make_player(1_000_000)
    everything = ";".join(["1+X+2"] * 10)
    assert refused(pool, player, everything, 590_490).code is Refusal.TOO_MANY_LINES
    bet = bet_from_account(pool, player, ";".join(["1+X"] * 10), 10_240).bet
    assert bet.lines == 1_024
    assert balance(account_of(player).ledger_account) == 1_000_000 - 10_240


def test_c44_three_times_ten_kopecks_is_thirty() -> None:
    pool, player = make_pool(terms={"price": {"line": 10}}), make_player(30)
    for _ in range(3):
        bet_from_account(pool, player, "1;1;1", 10)
    assert balance(account_of(player).ledger_account) == 0
    assert entries_balance(ledger_account(AccountKind.POOL_POT, pool.code)) == 30


def test_staff_cannot_bet_from_a_game_account() -> None:
    pool, till = make_pool(), make_till()
    assert till.cashier is not None
    with pytest.raises(DomainError) as caught:
        bet_from_account(pool, till.cashier, "1;1;1", 100)
    assert caught.value.code is Refusal.NOT_ALLOWED
    assert not Bet.objects.exists()
