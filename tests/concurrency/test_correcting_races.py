"""Applying a correction against a till, the crediting job, and another run of itself (H5, I10)."""

from collections.abc import Callable

import pytest

from accounts.models import Till
from payouts.models import CorrectionBooking, Payment
from payouts.services import correcting
from payouts.services.booking import book_payables
from payouts.services.correcting import apply_correction
from payouts.services.crediting import credit_accounts
from pools.models import Pool
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.correcting import make_right, outcomes_of, owed_on
from tests.making import bet_from_account, make_player, make_pool, make_till
from tests.paying import broken, go_to, pay, payable_from, sell_slips
from tests.settling import settle
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def to_be_corrected(till: Till) -> tuple[Pool, PlacedBet]:
    """A pool whose winner of 0.70 should have had 1.40; it can be paid."""
    pool = make_pool("sportloto-variant")
    slip, _other = sell_slips(pool, till, ("1", 100), ("X", 100))
    settle(pool, "1+X")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    make_right(pool, "1")
    return pool, slip


def test_a_till_and_a_correction_at_once_pay_the_old_sum_with_the_rest_to_come_or_the_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The till does not look whether the result is being corrected, so that both meet at the payable."""
    monkeypatch.setattr("payouts.services.owed_now.refuse_being_corrected", lambda _pool_id: None)
    till, seen = make_till(100_000), set()
    for _time in range(8):
        pool, slip = to_be_corrected(till)
        acts: list[Callable[[], object]] = [
            lambda pool=pool: apply_correction(code=pool.code),  # type: ignore[misc]
            lambda slip=slip: pay(slip, till),  # type: ignore[misc]
        ]
        booking, paid = race(acts)
        assert isinstance(booking, CorrectionBooking)
        assert isinstance(paid, Payment)
        outcome = outcomes_of(pool)[slip.bet.ticket, "winning"][0]
        owed = owed_on(pool, slip.bet.ticket)
        assert (paid.gross, outcome, owed) in [
            (70, "made_good", {"winning": (70, "paid"), "correction": (70, "due")}),
            (140, "amended", {"winning": (140, "paid")}),
        ]
        seen.add(outcome)
    assert broken() == []
    assert seen


def test_while_a_correction_waits_a_till_pays_nothing_and_afterwards_the_right_sum() -> None:
    till = make_till(100_000)
    pool, slip = to_be_corrected(till)
    booking, paid = race([lambda: apply_correction(code=pool.code), lambda: pay(slip, till)])
    assert isinstance(booking, CorrectionBooking)
    if isinstance(paid, DomainError):
        assert paid.code == Refusal.BEING_CORRECTED
        assert pay(slip, till, "later").gross == 140
    else:
        assert isinstance(paid, Payment)
        assert paid.gross == 140
    assert broken() == []


def test_the_crediting_job_and_a_correction_at_once() -> None:
    for _time in range(4):
        player, pool = make_player(200), make_pool("sportloto-variant")
        ticket = bet_from_account(pool, player, "1", 100).bet.ticket
        bet_from_account(pool, player, "X", 100)
        settle(pool, "1+X")
        book_payables(code=pool.code)
        go_to(payable_from(pool))
        make_right(pool, "1")
        race(
            [
                lambda pool=pool: apply_correction(code=pool.code),  # type: ignore[misc]
                lambda pool=pool: credit_accounts(code=pool.code),  # type: ignore[misc]
            ]
        )
        credit_accounts(code=pool.code)
        assert owed_on(pool, ticket) == {"winning": (140, "paid")}
    assert broken() == []


def test_two_at_once_apply_it_once() -> None:
    till = make_till(1_000)
    pool, slip = to_be_corrected(till)
    first, second = race([lambda: apply_correction(code=pool.code), lambda: apply_correction(code=pool.code)])
    assert isinstance(first, CorrectionBooking)
    assert first == second
    assert owed_on(pool, slip.bet.ticket) == {"winning": (140, "due")}
    assert broken() == []


def test_negative_control_who_does_not_lock_what_is_owed_amends_what_a_till_has_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the locks of the payables the till pays between finding and changing; only the count stops it then."""
    monkeypatch.setattr("payouts.services.owed_now.refuse_being_corrected", lambda _pool_id: None)
    till = make_till(1_000)
    pool, slip = to_be_corrected(till)
    find = correcting._refuse_differing

    def pay_meanwhile(pool: Pool) -> None:
        find(pool)
        paid = race([lambda: pay(slip, till)])
        assert isinstance(paid[0], Payment)

    monkeypatch.setattr(correcting, "_refuse_differing", pay_meanwhile)
    monkeypatch.setattr(correcting, "lock_all_payables", lambda _pool: None)
    with pytest.raises(AssertionError, match="of 1 amended"):
        apply_correction(code=pool.code)
