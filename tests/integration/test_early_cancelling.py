"""A bet cancelled before the settlement: out of the pot at once, and back the way it came (¶29, C41)."""

from functools import partial

import pytest
from django.core.cache import caches

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from payouts.models import Payable
from payouts.queries import money_certificate
from payouts.queries.guarantee import guarantee_sum
from payouts.services.booking import book_payables
from payouts.services.cash import pay_in_cash
from payouts.services.crediting import credit_accounts
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.settling import settle_pool
from pools.views.figures import figures_of
from tests.disputing import cancelled
from tests.making import bet_from_account, bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, money_of, pay
from tests.refusals import refused
from tests.resulting import close_by_clock, seal
from tests.settling import owed, settle, winnings_of
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db

GAME = "totolot-variant"


def pot_of(pool: Pool) -> int:
    return entries_balance(ledger_account(AccountKind.POOL_POT, pool.code), book=pool.pk)


def assert_all_agrees() -> None:
    assert broken() == []
    assert all(part.computed == part.ledger for part in guarantee_sum().parts.values())


def test_c41_a_cancelled_bet_leaves_the_total_and_the_pot_at_once_and_its_ticket_pays_nothing() -> None:
    player, till, pool = make_player(5_000), make_till(1_000), make_pool(GAME)
    first, second = bet_from_account(pool, player, "1", 5_000), bet_in_cash(pool, till, "1", 15_000)
    assert (money_of(player), pot_of(pool)) == (0, 20_000)
    cancelled(first.bet.ticket)
    caches["process"].clear()
    shown = figures_of(pool)
    assert (shown.turnover, shown.fund, shown.bets, pot_of(pool)) == (15_000, 9_000, 1, 15_000)
    assert credit_accounts(code=pool.code) == 1  # before the pool closes
    assert money_of(player) == 5_000
    assert till.cashier is not None
    scan = partial(
        pay_in_cash, ticket=first.bet.ticket, check_code=first.check_code, cashier=till.cashier, idempotency_key="scan"
    )
    assert refused(scan).code is Refusal.ALREADY_PAID
    assert_all_agrees()
    statement = settle(pool, "1")
    assert (statement["turnover"], statement["refunds"], statement["fund"]) == (20_000, 5_000, 9_000)
    assert winnings_of(pool) == {(second.bet.ticket, "all"): 9_000}
    assert_all_agrees()
    assert money_certificate(pool).holds  # type: ignore[union-attr]  # not booked yet, and one stake is paid already
    book_payables(code=pool.code)
    assert (credit_accounts(code=pool.code), money_of(player), pot_of(pool)) == (0, 5_000, 0)
    assert money_certificate(pool).holds  # type: ignore[union-attr]
    assert_all_agrees()


def test_a_stake_that_waits_at_the_till_is_owed_once_whatever_becomes_of_the_pool() -> None:
    till = make_till(100_000)
    for returned in (False, True):
        pool = make_pool(GAME)
        first, second = bet_in_cash(pool, till, "1", 5_000), bet_in_cash(pool, till, "X", 7_000)
        cancelled(first.bet.ticket)
        close_by_clock(pool)
        seal(pool, "1", event_void=returned)
        settle_pool(code=pool.code, actor="test")
        assert_all_agrees()
        booking = book_payables(code=pool.code)
        assert (booking.refunds, booking.tickets) == ((12_000, 2) if returned else (5_000, 1))
        assert pay(first, till).gross == 5_000
        assert owed(AccountKind.REFUNDS_DUE, pool) == (7_000 if returned else 0)
        assert Payable.objects.filter(pool=pool, ticket=second.bet.ticket).exists() == returned
        assert_all_agrees()
        assert money_certificate(pool).holds  # type: ignore[union-attr]


def test_a_pool_cancelled_afterwards_returns_the_other_stakes() -> None:
    player, till, pool = make_player(5_000), make_till(100_000), make_pool(GAME)
    first, second = bet_from_account(pool, player, "1", 5_000), bet_in_cash(pool, till, "X", 7_000)
    cancelled(first.bet.ticket)
    one, other = make_organizers()
    propose_cancellation(code=pool.code, reason="Off", document="Letter 1", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert_all_agrees()
    assert (pot_of(pool), owed(AccountKind.REFUNDS_DUE, pool)) == (0, 12_000)
    credit_accounts(code=pool.code)
    assert_all_agrees()
    assert money_certificate(pool).holds  # type: ignore[union-attr]
    booking = book_payables(code=pool.code)
    assert (booking.refunds, booking.tickets) == (12_000, 2)
    assert (money_of(player), pay(second, till).gross, owed(AccountKind.REFUNDS_DUE, pool)) == (5_000, 7_000, 0)
    assert_all_agrees()
    assert money_certificate(pool).holds  # type: ignore[union-attr]
