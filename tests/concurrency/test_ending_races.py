"""The end of a registration against a bet, against itself, and two jobs that send its money (¶35.3, C33)."""

from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from accounts.ledger.balances import balance
from accounts.models import AccountState, Ending, User, Withdrawal
from accounts.services.ending import end_registration, pay_out
from payouts.services.endings import carry_out_endings
from pools.models import Bet, Pool
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.making import account_of, bet_from_account, make_player, make_pool
from tests.paying import broken
from tests.topping_up import due, named_bank, pay_in
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)
_key = count(1)


def with_money(amount: int) -> User:
    player = make_player()
    named_bank(player)
    pay_in(player, amount)
    return player


def bet(pool: Pool, player: User) -> PlacedBet:
    return bet_from_account(pool, player, "1", 100, f"race-{next(_key)}")


def end(player: User) -> Ending:
    return end_registration(account=account_of(player), asked_by=player)


def test_a_bet_is_taken_before_the_end_or_refused_and_no_kopeck_is_lost() -> None:
    pool = make_pool("sportloto-variant")
    for _ in range(5):
        player = with_money(1_000)
        acts: list[Callable[[], object]] = [
            partial(bet, pool, player),
            partial(end, player),
            partial(bet, pool, player),
        ]
        results = race(acts)
        refusals = [result.code for result in results if isinstance(result, DomainError)]
        bets = Bet.objects.filter(player=player).count()
        assert set(refusals) <= {Refusal.ACCOUNT_BLOCKED}
        assert (bets + len(refusals), account_of(player).state) == (2, AccountState.ENDING)
        carry_out_endings()
        withdrawal = Withdrawal.objects.get(account=account_of(player))
        assert (withdrawal.amount, balance(account_of(player).ledger_account)) == (1_000 - 100 * bets, 0)
    assert broken() == []


def test_a_registration_ends_once() -> None:
    player = with_money(1_000)
    results = race([partial(end, player)] * 4)
    assert sorted(result.code for result in results if isinstance(result, DomainError)) == [Refusal.WRONG_STATE] * 3
    assert Ending.objects.count() == 1


def test_two_jobs_send_the_money_once() -> None:
    player = with_money(1_000)
    end(player)
    race([partial(pay_out, account_of(player)) for _ in range(4)])
    assert list(Withdrawal.objects.values_list("amount", flat=True)) == [1_000]
    assert (due(), balance(account_of(player).ledger_account)) == (1_000, 0)
    assert broken() == []
