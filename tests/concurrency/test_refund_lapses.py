"""A refund at a till against the decision of two people about it, at the same moment (D-12)."""

import pytest

from payouts.models import Payable, PayableState, Payment, RefundLapse
from payouts.services import refund_lapses
from payouts.services.paying import AlreadySettled
from payouts.services.refund_lapses import approve_refund_lapse
from payouts.tasks import book_due_payables
from tests.cancelled_pools import cancel, go_past_the_limitation, proposed_lapse
from tests.concurrency.racing import race
from tests.making import keep_register_fresh, make_organizers, make_pool, make_till
from tests.paying import broken, pay, sell_slips, states_of
from tests.settling import jackpot_of
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)

TRIES = 8


def test_a_till_and_the_decision_at_once_pay_a_refund_or_move_it_to_the_jackpot_never_both() -> None:
    till, (one, other) = make_till(10_000), make_organizers()
    made = []
    for _time in range(TRIES):
        pool = make_pool("sportloto-variant")
        slip, left = sell_slips(pool, till, ("1", 100), ("X", 100))
        made.append((pool, slip, left, cancel(pool)))
    book_due_payables()
    go_past_the_limitation(made[-1][3])
    keep_register_fresh()
    moved = 0
    for pool, slip, left, _cancellation in made:
        proposal = proposed_lapse(pool, one)
        done, paid = race(
            [
                lambda proposal=proposal: approve_refund_lapse(proposal=proposal, approved_by=other),  # type: ignore[misc]
                lambda slip=slip: pay(slip, till),  # type: ignore[misc]
            ]
        )
        assert isinstance(done, RefundLapse)
        moved += done.amount
        states = states_of(pool)
        assert states[left.bet.ticket] == PayableState.LAPSED
        if isinstance(paid, Payment):
            assert (done.tickets, states[slip.bet.ticket]) == (1, PayableState.PAID)
        else:
            assert isinstance(paid, DomainError)
            assert paid.code == Refusal.TERM_EXPIRED
            assert (done.tickets, states[slip.bet.ticket]) == (2, PayableState.LAPSED)
    assert jackpot_of("sportloto") == moved == 2 * 100 * TRIES - 100 * Payment.objects.count()
    assert broken() == []


def test_two_who_approve_at_once_move_it_once() -> None:
    (one, other), third = make_organizers(), make_organizers()[0]
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100), ("X", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    proposal = proposed_lapse(pool, one)
    done = race([lambda by=by: approve_refund_lapse(proposal=proposal, approved_by=by) for by in (other, third)])  # type: ignore[misc]
    assert [result.amount for result in done if isinstance(result, RefundLapse)] == [200, 200]
    assert (RefundLapse.objects.count(), jackpot_of("sportloto")) == (1, 200)


def test_negative_control_who_does_not_read_after_the_lock_would_move_what_is_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The refunds are read under their lock; read before it, one that a till has paid goes to the jackpot too."""
    till, (one, other) = make_till(1_000), make_organizers()
    pool = make_pool("sportloto-variant")
    (slip,) = sell_slips(pool, till, ("1", 100))
    cancellation = cancel(pool)
    book_due_payables()
    go_past_the_limitation(cancellation)
    keep_register_fresh()
    proposal, stale = proposed_lapse(pool, one), list(Payable.objects.filter(ticket=slip.bet.ticket))
    pay(slip, till)
    monkeypatch.setattr(refund_lapses, "lock_uncollected", lambda _refunds: stale)
    with pytest.raises(AlreadySettled):
        approve_refund_lapse(proposal=proposal, approved_by=other)
    assert jackpot_of("sportloto") == 0
    monkeypatch.setattr(refund_lapses, "settle_payables", lambda *_args, **_named: None)
    approve_refund_lapse(proposal=proposal, approved_by=other)
    assert jackpot_of("sportloto") == 100  # paid, and in the jackpot
    assert "no pot, debt or jackpot is overdrawn" in broken()
