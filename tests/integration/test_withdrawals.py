"""Withdrawals: one table of moves, the money exactly once, to the same person, back the way it came (F2, ¶41)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    PaymentInstrument,
    User,
    Withdrawal,
    WithdrawalState,
)
from accounts.models.withdrawals import MOVES, move
from accounts.services.blocking import block_account, propose_block
from accounts.services.exclusion import exclude_oneself
from accounts.services.persons import person_of
from accounts.services.sending import send_withdrawal
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from tests.fakes.provider import CREDIT_CARD, DEBIT_CARD, FakeProvider, running, settings_of
from tests.making import account_of, make_organizers, make_player
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import ask_back, bank_of, deposit_by, due, named_bank
from totalizator.core import clock
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def with_bank(balance_: int) -> tuple[User, PaymentInstrument]:
    """A player with `balance_` kopecks and a verified bank account."""
    player = make_player(balance_)
    return player, named_bank(player)


def in_bank() -> int:
    return balance(ledger_account(AccountKind.BANK))


# -- the table of moves ---------------------------------------------------------------------------------------


def standing_in(state: WithdrawalState) -> Withdrawal:
    """A withdrawal of which nothing but the state is as it would be."""
    player, bank = with_bank(1_000)
    at = clock.now()
    return Withdrawal.objects.create(
        account=account_of(player), instrument=bank, amount=1, state=state, requested_at=at, moved_at=at
    )


@pytest.mark.parametrize("came_from", WithdrawalState)
@pytest.mark.parametrize("to", WithdrawalState)
def test_a_withdrawal_moves_as_the_table_says_and_no_other_way(came_from: WithdrawalState, to: WithdrawalState) -> None:
    withdrawal = standing_in(came_from)
    if to in MOVES[came_from]:
        move(withdrawal, to)
        assert (withdrawal.state, Withdrawal.objects.get(pk=withdrawal.pk).state) == (to, to)
    else:
        refusal = refused(lambda: move(withdrawal, to))
        assert (refusal.code, refusal.details["state"]) == (Refusal.WRONG_STATE, came_from)


def test_a_withdrawal_that_moved_on_meanwhile_is_not_moved_again() -> None:
    withdrawal = standing_in(WithdrawalState.REQUESTED)
    stale = Withdrawal.objects.get(pk=withdrawal.pk)
    move(withdrawal, WithdrawalState.CANCELLED)
    assert refused(lambda: move(stale, WithdrawalState.APPROVED)).code is Refusal.WRONG_STATE


@pytest.mark.parametrize("change", [{"amount": 2}, {"state": "sent"}, {"signed_wish": "x"}])
def test_the_database_keeps_an_end_and_lets_no_sum_change(change: dict[str, object]) -> None:
    withdrawal = standing_in(WithdrawalState.CONFIRMED)
    with pytest.raises(IntegrityError, match="only move on"), transaction.atomic():
        Withdrawal.objects.filter(pk=withdrawal.pk).update(**change)
    with pytest.raises(IntegrityError, match="only move on"), transaction.atomic():
        Withdrawal.objects.filter(pk=withdrawal.pk).delete()


# -- asking ---------------------------------------------------------------------------------------------------


def test_the_money_leaves_the_account_when_it_is_asked_for() -> None:
    player, bank = with_bank(1_000)
    withdrawal = ask_back(player, 600, bank)
    assert (withdrawal.state, withdrawal.approved_by) == (WithdrawalState.APPROVED, None)
    assert (money_of(player), due()) == (400, 600)
    act = refused(lambda: ask_back(player, 401, bank))
    assert (act.code, act.details["needed"], act.details["available"]) == (Refusal.INSUFFICIENT_FUNDS, 401, 400)
    assert broken() == []


def test_the_same_request_twice_is_one_withdrawal() -> None:
    player, bank = with_bank(1_000)
    first, again = (ask_back(player, 600, bank, idempotency_key="k") for _ in range(2))
    assert (first.pk, Withdrawal.objects.count(), money_of(player)) == (again.pk, 1, 400)
    assert refused(lambda: ask_back(player, 300, bank, idempotency_key="k")).code is Refusal.KEY_REUSED


def test_the_second_factor_is_asked_for() -> None:
    player, bank = with_bank(1_000)
    assert refused(lambda: ask_back(player, 1, bank, stepped_up=False)).code is Refusal.STEP_UP_NEEDED


def test_e3_after_a_changed_password_withdrawals_wait_a_day() -> None:
    player, bank = with_bank(1_000)
    player.password_changed_at = clock.now()
    player.save()
    act = refused(lambda: ask_back(player, 1, bank))
    assert (act.code, act.details["until"]) == (Refusal.ON_HOLD, player.password_changed_at + timedelta(hours=24))
    clock.move_clock(timedelta(hours=24))
    assert ask_back(player, 1, bank).state == WithdrawalState.APPROVED


def test_p2_who_is_excluded_or_blocked_can_still_withdraw() -> None:
    player, bank = with_bank(1_000)
    exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    one, other = make_organizers()
    propose_block(account=account_of(player), reason="a duplicate", proposed_by=one)
    block_account(account=account_of(player), approved_by=other)
    ask_back(player, 1_000, bank)
    assert money_of(player) == 0


def test_money_goes_to_nobody_elses_instrument(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    other, other_bank = with_bank(1_000)
    card = deposit_by(provider, other, 500)
    for instrument in (other_bank, card):
        assert refused(lambda to=instrument: ask_back(player, 1, to)).code is Refusal.OTHER_WAY  # type: ignore[misc]
    assert ask_back(player, 1, bank).instrument == bank


def test_who_has_shown_no_document_has_no_bank_account_to_withdraw_to() -> None:
    player = make_player(may_bet=False)
    with pytest.raises(Exception, match="not_verified"):
        bank_of(player)


# -- back the way it came (¶41) -------------------------------------------------------------------------------


def test_what_came_from_a_credit_card_goes_back_to_it_first(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    card = deposit_by(provider, player, 500, CREDIT_CARD)
    act = refused(lambda: ask_back(player, 100, bank))
    assert (act.code, act.details["instrument"], act.details["amount"]) == (Refusal.OTHER_WAY, card.pk, 500)
    act = refused(lambda: ask_back(player, 501, card))
    assert (act.code, act.details["amount"]) == (Refusal.OTHER_WAY, 500)
    ask_back(player, 200, card)
    assert refused(lambda: ask_back(player, 100, bank)).details["amount"] == 300
    ask_back(player, 300, card)
    ask_back(player, 1_000, bank)
    assert money_of(player) == 0


def test_what_the_credit_card_did_not_take_is_owed_to_it_again(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    card = deposit_by(provider, player, 500, CREDIT_CARD)
    withdrawal = ask_back(player, 500, card)
    provider.refusing = True
    assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.FAILED
    assert refused(lambda: ask_back(player, 100, bank)).details["amount"] == 500
    assert (money_of(player), due()) == (1_500, 0)


def test_a_debit_card_takes_what_was_won_too(provider: FakeProvider) -> None:
    player = make_player(1_000)
    card = deposit_by(provider, player, 500, DEBIT_CARD)
    assert ask_back(player, 1_500, card).state == WithdrawalState.APPROVED


def test_another_way_needs_a_signed_wish_and_staff(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    deposit_by(provider, player, 500, CREDIT_CARD)
    withdrawal = ask_back(player, 100, bank, signed_wish="Application 5 of 1 June")
    assert withdrawal.state == WithdrawalState.REQUESTED
    (staff, _other) = make_organizers()
    approve_withdrawal(withdrawal=withdrawal, approved_by=staff)
    assert Withdrawal.objects.get().approved_by == staff


# -- approving ------------------------------------------------------------------------------------------------


def test_from_a_dated_sum_in_a_day_on_staff_must_approve() -> None:
    player, bank = with_bank(300_000)
    small, next_one = ask_back(player, 60_000, bank), ask_back(player, 40_000, bank)
    assert (small.state, next_one.state) == (WithdrawalState.APPROVED, WithdrawalState.REQUESTED)
    clock.move_clock(timedelta(days=1, seconds=1))
    assert ask_back(player, 99_999, bank).state == WithdrawalState.APPROVED


def test_only_staff_approve_and_only_what_waits() -> None:
    player, bank = with_bank(300_000)
    withdrawal = ask_back(player, 100_000, bank)
    (staff, _other) = make_organizers()
    assert refused(lambda: approve_withdrawal(withdrawal=withdrawal, approved_by=player)).code is Refusal.NOT_ALLOWED
    approve_withdrawal(withdrawal=withdrawal, approved_by=staff)
    assert refused(lambda: approve_withdrawal(withdrawal=withdrawal, approved_by=staff)).code is Refusal.WRONG_STATE


def test_what_waits_for_approval_can_be_cancelled_by_its_owner_or_staff() -> None:
    player, bank = with_bank(300_000)
    withdrawal, stranger = ask_back(player, 100_000, bank), make_player()
    act = refused(lambda: cancel_withdrawal(withdrawal=withdrawal, reason="x", actor=stranger))
    assert act.code is Refusal.NOT_ALLOWED
    cancel_withdrawal(withdrawal=withdrawal, reason="I changed my mind", actor=player)
    assert (money_of(player), due()) == (300_000, 0)
    act = refused(lambda: cancel_withdrawal(withdrawal=withdrawal, reason="again", actor=player))
    assert act.code is Refusal.WRONG_STATE
    assert broken() == []
