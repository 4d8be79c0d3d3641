"""Withdrawals on their way: by the bank as orders, by a payment system exactly once (F2)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    OrderState,
    PaymentInstrument,
    PaymentOrder,
    User,
    Withdrawal,
    WithdrawalState,
)
from accounts.services.payment_orders import (
    Payee,
    draw_up_anew,
    draw_up_order,
    note_executed,
    note_exported,
    note_returned,
)
from accounts.services.sending import ask_about, decide_unknown, send_withdrawal
from accounts.tasks import ask_about_withdrawals, send_approved_withdrawals
from tests.desks import keeper
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.making import make_organizers, make_player
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import ask_back, deposit_by, due, hear, named_bank
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


def test_a_withdrawal_to_the_bank_is_an_order_exported_and_executed() -> None:
    player, bank = with_bank(1_000)
    withdrawal = ask_back(player, 600, bank)
    order = PaymentOrder.objects.get(withdrawal=withdrawal)
    assert (order.amount, order.payee_account, order.cause) == (
        600,
        "BY13NBRB3600900000002Z00AB00",
        f"withdrawal:{withdrawal.pk}",
    )
    before = in_bank()
    note_exported(orders=[order], file_digest="sha256:0", actor="test")
    withdrawal.refresh_from_db()
    assert (withdrawal.state, in_bank(), due()) == (WithdrawalState.SENT, before, 600)
    order = PaymentOrder.objects.get()
    note_executed(order=order, bank_reference="line 5", actor="test")
    withdrawal.refresh_from_db()
    assert (withdrawal.state, in_bank(), due()) == (WithdrawalState.CONFIRMED, before - 600, 0)
    assert refused(lambda: note_executed(order=order, bank_reference="x", actor="t")).code is Refusal.WRONG_STATE
    assert broken() == []


def test_an_order_that_came_back_puts_the_money_on_the_account() -> None:
    player, bank = with_bank(1_000)
    ask_back(player, 600, bank)
    note_exported(orders=[PaymentOrder.objects.get()], file_digest="sha256:0", actor="test")
    note_returned(order=PaymentOrder.objects.get(), reason="account closed", by=keeper())
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.state, withdrawal.reason, money_of(player), due()) == ("failed", "account closed", 1_000, 0)
    assert broken() == []


def test_two_files_do_not_hold_one_order() -> None:
    player, bank = with_bank(1_000)
    ask_back(player, 600, bank)
    ask_back(player, 100, bank)
    first, second = PaymentOrder.objects.order_by("pk")
    stale = PaymentOrder.objects.get(pk=second.pk)
    note_exported(orders=[second], file_digest="sha256:1", actor="test")
    act = refused(lambda: note_exported(orders=[first, stale], file_digest="sha256:2", actor="test"))
    assert act.code is Refusal.WRONG_STATE
    assert PaymentOrder.objects.get(pk=first.pk).state == OrderState.DRAWN_UP


def test_an_order_of_a_winning_that_came_back_is_drawn_up_anew() -> None:
    (staff, _other) = make_organizers()
    payee, right = Payee("Name", "BY00 0000"), Payee("Name", "BY11 1111")
    order = draw_up_order(cause="winning:T-1", payee=payee, amount=5, purpose="x", at=clock.now(), actor="test")
    assert refused(lambda: draw_up_anew(order=order, payee=right, drawn_up_by=staff)).code is Refusal.WRONG_STATE
    note_exported(orders=[order], file_digest="sha256:1", actor="test")
    note_returned(order=order, reason="no such account", by=keeper())
    anew = draw_up_anew(order=order, payee=right, drawn_up_by=staff)
    assert (anew.replaces, anew.payee_account, anew.amount, anew.state) == (order, "BY111111", 5, "drawn_up")
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.REPLACED
    with pytest.raises(IntegrityError), transaction.atomic():
        draw_up_order(cause="winning:T-1", payee=payee, amount=5, purpose="x", at=clock.now(), actor="test")


# -- by a payment system --------------------------------------------------------------------------------------


def by_card(provider: FakeProvider, amount: int = 500) -> tuple[User, Withdrawal]:
    player = make_player()
    return player, ask_back(player, amount, deposit_by(provider, player, 500))


def test_sent_then_confirmed(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    send_approved_withdrawals()
    withdrawal.refresh_from_db()
    assert (withdrawal.state, provider.calls.count("POST /payouts"), due()) == ("sent", 1, 500)
    assert hear(provider.message("payout", withdrawal.reference))[0] == 200
    withdrawal.refresh_from_db()
    held = balance(ledger_account(AccountKind.AT_PROVIDER, "fake"))
    assert (withdrawal.state, due(), held, in_bank(), money_of(player)) == ("confirmed", 0, 0, 0, 0)
    send_approved_withdrawals()
    assert provider.calls.count("POST /payouts") == 1
    assert broken() == []


def test_a_fault_of_ours_with_one_withdrawal_does_not_stop_the_others(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_one, bad), (_other, good) = by_card(provider), by_card(provider)

    def send(*, withdrawal: Withdrawal) -> None:
        if withdrawal == bad:
            raise RuntimeError("a bug")
        send_withdrawal(withdrawal=withdrawal)

    monkeypatch.setattr("accounts.tasks.send_withdrawal", send)
    send_approved_withdrawals()
    states = {row.pk: row.state for row in Withdrawal.objects.all()}
    assert states == {bad.pk: "approved", good.pk: "sent"}


def test_refused_by_the_payment_system_is_back_on_the_account(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    provider.refusing = True
    assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.FAILED
    assert (money_of(player), due(), Withdrawal.objects.get().reason) == (500, 0, "the card is closed")


def test_an_answer_that_does_not_come_is_unknown_and_nothing_is_sent_again(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    provider.silent = True
    assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.UNKNOWN
    send_approved_withdrawals()
    assert refused(lambda: send_withdrawal(withdrawal=withdrawal)).code is Refusal.WRONG_STATE
    assert (provider.calls.count("POST /payouts"), money_of(player), due()) == (1, 0, 500)
    provider.payments[withdrawal.reference]["outcome"] = "done"
    assert ask_about(withdrawal=withdrawal) == WithdrawalState.CONFIRMED
    assert (provider.calls.count("POST /payouts"), due()) == (1, 0)
    assert broken() == []


def test_what_was_never_heard_of_fails_once_it_cannot_come_any_more(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    provider.broken = True
    assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.UNKNOWN
    ask_about_withdrawals()
    assert Withdrawal.objects.get().state == WithdrawalState.UNKNOWN
    clock.move_clock(timedelta(minutes=20, seconds=1))
    ask_about_withdrawals()
    assert (Withdrawal.objects.get().state, money_of(player), due()) == ("failed", 500, 0)


@pytest.mark.parametrize("paid", [True, False])
def test_staff_end_what_stays_unknown_by_a_document(provider: FakeProvider, paid: bool) -> None:
    player, withdrawal = by_card(provider)
    provider.silent = True
    send_withdrawal(withdrawal=withdrawal)
    (staff, _other) = make_organizers()
    told = {"withdrawal": withdrawal, "paid": paid}
    assert refused(lambda: decide_unknown(**told, document="L", decided_by=player)).code is Refusal.NOT_ALLOWED  # type: ignore[arg-type]
    decide_unknown(withdrawal=withdrawal, paid=paid, document="Letter 8", decided_by=staff)
    assert (money_of(player), due()) == (0 if paid else 500, 0)
    assert broken() == []


def test_what_goes_to_the_bank_is_not_sent_by_a_payment_system(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    withdrawal = ask_back(player, 100, bank)
    send_approved_withdrawals()
    assert refused(lambda: send_withdrawal(withdrawal=withdrawal)).code is Refusal.WRONG_STATE
    assert provider.calls == []
