"""A ticket that is bound to an account by its player's wish, while a till pays it or its pool is booked (X10)."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from time import sleep

import pytest

from accounts.models import GameAccount, Till
from payouts.models import Payable, Payment, TicketOwner
from payouts.services import ticket_owners
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.ticket_owners import bind_to_account, sign_credit_wish
from pools.models import Bet
from tests.claiming import won
from tests.concurrency.racing import race
from tests.making import account_of, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, pay, payable_from, sell_slips
from tests.settling import settle
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def booked_while_bound(till: Till, account: GameAccount, after: float) -> int | None:
    """Bind a winning ticket while its pool is booked, `after` so many seconds; return where the winning goes."""
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    settle(pool, "1")

    def book() -> None:
        sleep(after)
        book_payables(code=pool.code)

    binding = partial(bind_to_account, account=account, ticket=slip.bet.ticket, check_code=slip.check_code)
    acts: list[Callable[[], object]] = [binding, book]
    race(acts)
    return Payable.objects.get(pool=pool).pay_to_id


def test_x10_a_ticket_is_credited_by_wish_or_paid_at_a_till_and_never_both() -> None:
    till, player = make_till(10_000), make_player()
    account, credited = account_of(player), 0
    sign_credit_wish(account=account, wanted=True, stepped_up=True)
    for _time in range(8):
        pool, slip = won(till)
        go_to(payable_from(pool))
        binding = partial(bind_to_account, account=account, ticket=slip.bet.ticket, check_code=slip.check_code)
        acts: list[Callable[[], object]] = [binding, partial(pay, slip, till)]
        bound, payment = race(acts)
        credit_accounts(code=pool.code)
        if isinstance(bound, DomainError):
            assert bound.code == Refusal.WRONG_STATE
            assert isinstance(payment, Payment)
        else:
            assert isinstance(payment, DomainError)
            assert payment.code in (Refusal.NOT_ALLOWED, Refusal.ALREADY_PAID)
            credited += 1
        assert Payment.objects.filter(pool=pool).count() == 1
    assert money_of(player) == 66 * credited
    assert broken() == []


def test_negative_control_without_the_payables_lock_a_ticket_is_bound_that_a_till_pays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(pool_id: int, ticket: str) -> list[Payable]:
        found = list(Payable.objects.select_related("pay_to").filter(pool_id=pool_id, ticket=ticket))
        sleep(0.5)
        return found

    till, account = make_till(10_000), account_of(make_player())
    sign_credit_wish(account=account, wanted=True, stepped_up=True)
    pool, slip = won(till)
    go_to(payable_from(pool))
    monkeypatch.setattr(ticket_owners, "lock_payables_of", read)
    binding = partial(bind_to_account, account=account, ticket=slip.bet.ticket, check_code=slip.check_code)
    acts: list[Callable[[], object]] = [binding, partial(pay, slip, till)]
    bound, payment = race(acts)
    assert isinstance(bound, TicketOwner)
    assert isinstance(payment, Payment)


def test_a_pool_that_is_booked_meanwhile_knows_of_the_ticket_or_is_told() -> None:
    till, account = make_till(), account_of(make_player())
    sign_credit_wish(account=account, wanted=True, stepped_up=True)
    for _time in range(4):
        assert booked_while_bound(till, account, 0) == account.ledger_account_id


def test_negative_control_without_holding_the_pool_the_wish_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    look = ticket_owners._send_where_wished

    def look_then_wait(bet: Bet, at: datetime, actor: str) -> None:
        """Be slow between the last look at what is owed and the commit."""
        look(bet, at, actor)
        sleep(1)

    till, account = make_till(), account_of(make_player())
    sign_credit_wish(account=account, wanted=True, stepped_up=True)
    monkeypatch.setattr(ticket_owners, "_send_where_wished", look_then_wait)
    assert booked_while_bound(till, account, 0.3) == account.ledger_account_id
    monkeypatch.setattr(ticket_owners, "hold_pool_shared", lambda _pool_id: None)
    assert booked_while_bound(till, account, 0.3) is None
