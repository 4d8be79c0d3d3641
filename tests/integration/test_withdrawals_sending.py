"""Withdrawals on their way: by the bank as orders, by a payment system exactly once (F2)."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    OrderState,
    PaymentInstrument,
    PaymentOrder,
    UnmatchedItem,
    User,
    Withdrawal,
    WithdrawalProposal,
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
from accounts.services.sending import ask_about, send_withdrawal
from accounts.services.withdrawal_decisions import approve_end, propose_end
from accounts.tasks import ask_about_withdrawals, send_approved_withdrawals
from tests.desks import keeper
from tests.fakes.provider import CREDIT_CARD, FakeProvider, running, settings_of
from tests.making import make_organizers, make_player
from tests.paying import broken, money_of
from tests.refusals import refused
from tests.topping_up import ask_back, deposit_by, due, hear, named_bank
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

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
    one, other = make_organizers()
    act = partial(propose_end, withdrawal=withdrawal, paid=paid)
    assert refused(lambda: act(document="L", proposed_by=player)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: act(document=" ", proposed_by=one)).field == "document"
    proposal = act(document="Letter 8", proposed_by=one)
    assert (money_of(player), due()) == (0, 500)
    assert refused(lambda: approve_end(proposal=proposal, approved_by=player)).code is Refusal.NOT_ALLOWED
    assert refused(lambda: approve_end(proposal=proposal, approved_by=one)).code is Refusal.SAME_PERSON
    decision = approve_end(proposal=proposal, approved_by=other)
    assert approve_end(proposal=proposal, approved_by=other) == decision
    withdrawal.refresh_from_db()
    assert (withdrawal.state, withdrawal.reason) == ("confirmed" if paid else "failed", "Letter 8")
    assert (money_of(player), due()) == (0 if paid else 500, 0)
    records = JournalRecord.objects.filter(subject=f"withdrawal:{withdrawal.pk}").order_by("pk")
    assert list(records.values_list("act", "actor"))[-3:] == [
        ("propose_withdrawal_end", one.actor),
        ("confirm_withdrawal" if paid else "fail_withdrawal", other.actor),
        ("approve_withdrawal_end", other.actor),
    ]
    assert broken() == []


def test_what_the_payment_system_told_meanwhile_is_decided(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    one, other = make_organizers()
    assert refused(lambda: end(withdrawal, True, one)).code is Refusal.WRONG_STATE  # not sent
    provider.silent = True
    send_withdrawal(withdrawal=withdrawal)
    earlier, later = end(withdrawal, True, one), end(withdrawal, False, one)
    assert refused(lambda: approve_end(proposal=earlier, approved_by=other)).code is Refusal.WRONG_STATE
    assert hear(provider.message("payout", withdrawal.reference))[0] == 200
    assert refused(lambda: approve_end(proposal=later, approved_by=other)).code is Refusal.WRONG_STATE
    assert (Withdrawal.objects.get().state, money_of(player), due()) == ("confirmed", 0, 0)


def test_a_payment_order_is_ended_by_the_bank_alone() -> None:
    (player, bank), (staff, _other) = with_bank(1_000), make_organizers()
    withdrawal = ask_back(player, 600, bank)
    note_exported(orders=[PaymentOrder.objects.get()], file_digest="sha256:0", actor="test")
    withdrawal.refresh_from_db()
    assert refused(lambda: end(withdrawal, True, staff)).code is Refusal.WRONG_STATE


def end(withdrawal: Withdrawal, paid: bool, by: User) -> WithdrawalProposal:
    return propose_end(withdrawal=withdrawal, paid=paid, document="Letter 8", proposed_by=by)


@pytest.mark.parametrize(
    ("told", "mismatch", "theirs"),
    [
        ({"amount": 499, "outcome": "done"}, "amount", "done 499 BYN"),
        ({"amount": 501, "outcome": "under_way"}, "amount", "under_way 501 BYN"),
        ({"currency": "USD", "outcome": "failed"}, "amount", "failed 500 USD"),
        ({"instrument": CREDIT_CARD, "outcome": "done"}, "instrument", "done 500 BYN •••• 4242"),
    ],
)
def test_an_answer_about_something_else_moves_nothing_and_waits_for_people(
    provider: FakeProvider, told: dict[str, Any], mismatch: str, theirs: str
) -> None:
    player, withdrawal = by_card(provider)
    provider.answers = told
    assert send_withdrawal(withdrawal=withdrawal) == WithdrawalState.UNKNOWN
    assert ask_about(withdrawal=withdrawal) == WithdrawalState.UNKNOWN
    item = UnmatchedItem.objects.get()
    assert (item.provider, item.reference, item.mismatch, item.theirs, item.closed_at) == (
        "fake",
        withdrawal.reference,
        mismatch,
        theirs,
        None,
    )
    assert (money_of(player), due(), provider.calls.count("POST /payouts")) == (0, 500, 1)
    provider.payments[withdrawal.reference] = {"id": "P-2", "outcome": "done", "amount": 500, "currency": "BYN"}
    assert ask_about(withdrawal=withdrawal) == WithdrawalState.CONFIRMED
    assert (UnmatchedItem.objects.get().decision, due()) == ("agrees now", 0)
    assert broken() == []


def test_a_late_answer_that_contradicts_the_end_goes_into_the_queue(provider: FakeProvider) -> None:
    player, withdrawal = by_card(provider)
    send_withdrawal(withdrawal=withdrawal)
    stale = Withdrawal.objects.select_related("account__ledger_account", "instrument").get()
    hear(provider.message("payout", withdrawal.reference))
    provider.payments[withdrawal.reference]["outcome"] = "failed"
    assert ask_about(withdrawal=stale) == WithdrawalState.CONFIRMED
    assert (UnmatchedItem.objects.get().mismatch, money_of(player), due()) == ("state", 0, 0)


def test_what_goes_to_the_bank_is_not_sent_by_a_payment_system(provider: FakeProvider) -> None:
    player, bank = with_bank(1_000)
    withdrawal = ask_back(player, 100, bank)
    send_approved_withdrawals()
    assert refused(lambda: send_withdrawal(withdrawal=withdrawal)).code is Refusal.WRONG_STATE
    assert provider.calls == []
