"""Bets that race: for one balance, for one key, for one pool. Real threads, each with its own connection."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from pools.models import Bet
from pools.services import registering
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.making import account_of, bet_from_account, bet_in_cash, make_player, make_pool, make_till
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_c33_ten_bets_for_one_balance() -> None:
    pool, player = make_pool(terms={"price": {"line": 10_000}}), make_player(10_000)
    results = race([partial(bet_from_account, pool, player, "1;1;1", 10_000) for _ in range(10)])
    refusals = [result.code for result in results if isinstance(result, DomainError)]
    assert refusals == [Refusal.INSUFFICIENT_FUNDS] * 9
    assert Bet.objects.count() == 1
    assert balance(account_of(player).ledger_account) == 0


def test_c33_negative_control_without_the_condition_an_account_is_overdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same race with the debit's condition taken away: only the CHECK is left to catch it."""
    condition = "AND (a.debit_normal OR a.credits >= a.debits + due.stake)"
    assert condition in registering._REGISTER
    monkeypatch.setattr(registering, "_REGISTER", registering._REGISTER.replace(condition, ""))
    pool, player = make_pool(terms={"price": {"line": 10_000}}), make_player(10_000)

    def bet() -> PlacedBet | Exception:
        try:
            return bet_from_account(pool, player, "1;1;1", 10_000)
        except DomainError:
            raise
        except Exception as fault:  # noqa: BLE001  the IntegrityError of the CHECK is what this test looks for
            return fault

    results = race([bet] * 4)
    assert any("ledger_never_overdrawn" in str(result) for result in results), results


def test_c34_no_bet_is_lost_from_the_total() -> None:
    """3,050 bets of 10.00 from 8 threads: tickets, the pot and the debits are each 30,500.00."""
    pool = make_pool(terms={"price": {"line": 1_000}})
    tills = [make_till() for _ in range(8)]

    def sell(number: int) -> None:
        try:
            bet_in_cash(pool, tills[number % 8], "1;X;2", 1_000, key=f"c34-{number}")
        finally:
            if number >= 3_042:
                connection.close()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(sell, range(3_050)))
        list(threads.map(lambda _: connection.close(), range(64)))
    assert Bet.objects.filter(pool=pool).count() == 3_050
    assert entries_balance(ledger_account(AccountKind.POOL_POT, pool.code)) == 3_050_000
    assert sum(balance(till.ledger_account) for till in tills) == 3_050_000


def test_c38_twenty_requests_with_one_key_are_one_bet() -> None:
    pool, player = make_pool(), make_player(10_000)
    results = race([partial(bet_from_account, pool, player, "1;1;1", 100, "one key") for _ in range(20)])
    placed = [result for result in results if isinstance(result, PlacedBet)]
    assert len(placed) == 20
    assert len({result.bet.ticket for result in placed}) == 1
    assert len({result.check_code for result in placed}) == 1
    assert sum(not result.replayed for result in placed) == 1
    assert balance(account_of(player).ledger_account) == 9_900


def test_c36_a_double_click_is_one_ticket() -> None:
    pool, till = make_pool(), make_till()
    first, second = race([partial(bet_in_cash, pool, till, "1;1;1", 100, "form token")] * 2)
    assert isinstance(first, PlacedBet)
    assert isinstance(second, PlacedBet)
    assert first.bet.ticket == second.bet.ticket
    assert balance(till.ledger_account) == 100
