"""Cancelling a bet against a till, the crediting job and the settlement, at the same moment (¶29)."""

import pytest

from payouts.models import Payable, PayableState, Payment
from payouts.services import bet_cancelling
from payouts.services.bet_cancelling import approve_bet_cancellation
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.paying import AlreadySettled
from pools.models import BetCancellation
from pools.services.settling import settle_pool
from tests.claiming import won
from tests.concurrency.racing import race
from tests.disputing import proposed
from tests.making import bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from
from tests.resulting import close_by_clock, seal
from tests.settling import settle, statement_of
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_till_and_a_cancellation_at_once_take_back_what_was_paid_or_pay_nothing() -> None:
    till, (_one, other) = make_till(10_000), make_organizers()
    for _time in range(8):
        pool, slip = won(till)
        go_to(payable_from(pool))
        proposal = proposed(slip.bet.ticket)
        done, paid = race(
            [
                lambda proposal=proposal: approve_bet_cancellation(proposal=proposal, approved_by=other),  # type: ignore[misc]
                lambda slip=slip: pay(slip, till),  # type: ignore[misc]
            ]
        )
        assert isinstance(done, BetCancellation)
        if isinstance(paid, DomainError):
            assert (paid.code, done.winning) == (Refusal.NOTHING_TO_PAY, "unpaid")
        else:
            assert isinstance(paid, Payment)
            assert (done.winning, done.taken, paid.kind) in {("paid", 66, "winning"), ("unpaid", 70, "refund")}
    assert broken() == []


def test_the_crediting_job_and_a_cancellation_at_once() -> None:
    _one, other = make_organizers()
    for _time in range(5):
        player, pool = make_player(100), make_pool("sportloto-variant")
        ticket = bet_from_account(pool, player, "1", 100).bet.ticket
        settle(pool, "1")
        book_payables(code=pool.code)
        go_to(payable_from(pool))
        proposal = proposed(ticket)
        done, _credited = race(
            [
                lambda proposal=proposal: approve_bet_cancellation(proposal=proposal, approved_by=other),  # type: ignore[misc]
                lambda pool=pool: credit_accounts(code=pool.code),  # type: ignore[misc]
            ]
        )
        assert isinstance(done, BetCancellation)
        paid = Payment.objects.filter(pool=pool, kind="winning").exists()
        assert (done.winning, done.taken) == (("paid", 66) if paid else ("unpaid", 70))
    assert broken() == []


def test_the_settlement_and_a_cancellation_at_once_never_divide_half() -> None:
    _one, other = make_organizers()
    for _time in range(5):
        player, pool = make_player(200), make_pool("sportloto-variant")
        ticket = bet_from_account(pool, player, "1", 100).bet.ticket
        bet_from_account(pool, player, "1", 100)
        close_by_clock(pool)
        seal(pool, "1")
        proposal = proposed(ticket)
        done, _settled = race(
            [
                lambda proposal=proposal: approve_bet_cancellation(proposal=proposal, approved_by=other),  # type: ignore[misc]
                lambda pool=pool: settle_pool(code=pool.code, actor="test"),  # type: ignore[misc]
            ]
        )
        assert isinstance(done, BetCancellation | DomainError)
        excluded = statement_of(pool)["cancelled"]
        if isinstance(done, DomainError):
            assert (done.code, excluded) == (Refusal.WRONG_STATE, [])
        else:
            assert excluded == ([ticket] if done.cancelled_when == "before" else [])
        book_payables(code=pool.code)
    assert broken() == []


def test_negative_control_who_does_not_read_after_the_lock_would_take_back_what_is_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The state is read again after the lock; read before it, the paid winning is taken for unpaid."""
    till, (_one, other) = make_till(1_000), make_organizers()
    pool, slip = won(till)
    go_to(payable_from(pool))
    proposal, stale = proposed(slip.bet.ticket), list(Payable.objects.filter(ticket=slip.bet.ticket))
    pay(slip, till)
    monkeypatch.setattr(bet_cancelling, "lock_payables_of", lambda *_args: stale)
    with pytest.raises(AlreadySettled):
        approve_bet_cancellation(proposal=proposal, approved_by=other)
    monkeypatch.setattr(bet_cancelling, "settle_payables", lambda *_args, **_named: None)
    approve_bet_cancellation(proposal=proposal, approved_by=other)
    assert "what is owed in the ledger is what is due on tickets" in broken()
    assert PayableState.PAID in Payable.objects.filter(pool=pool).values_list("state", flat=True)
