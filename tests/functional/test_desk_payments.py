"""The organizer's pages of payment systems and of orders to the bank: each sum once, each by two people (F1, F2)."""

from collections.abc import Iterator

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    DepositReturn,
    HeldDeposit,
    LimitKind,
    LimitPeriod,
    OrderState,
    Outcome,
    PaymentFile,
    PaymentOrder,
    PlayLimit,
    UnmatchedItem,
    WithdrawalState,
)
from accounts.services.limits import set_limit
from accounts.services.persons import person_of
from accounts.services.sending import send_withdrawal
from tests.banking import OURS, PAYER, csv_line, decide, in_bank, own_account, take_in, transfer
from tests.fakes.provider import FakeProvider, running, settings_of
from tests.functional.browsing import text_of, visitor
from tests.functional.pressing import has, pressed_in_vain, refused_at
from tests.making import make_organizers, make_player
from tests.paying import broken, money_of
from tests.topping_up import ask_back, begin, deposit_by, hear

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: object) -> Iterator[FakeProvider]:
    with running() as fake:
        settings.PAYMENT_PROVIDERS = settings_of(fake)  # type: ignore[attr-defined]
        yield fake


def held_money() -> int:
    return balance(ledger_account(AccountKind.HELD_DEPOSITS, "fake"))


def test_f1_a_held_deposit_is_credited_from_the_queue_or_given_back_by_two(provider: FakeProvider) -> None:
    (one, other), player = make_organizers(), make_player()
    first, second = visitor(one), visitor(other)
    for amount in (1_000, 300):
        reference = begin(player, amount)
        set_limit(person=person_of(player), kind=LimitKind.DEPOSIT, period=LimitPeriod.DAY, amount=1, actor="test")
        provider.payments[reference]["outcome"] = "done"
        hear(provider.message("deposit", reference, amount=amount))
        PlayLimit.objects.all().delete()
    back, credited = HeldDeposit.objects.order_by("pk")
    item, other_item = UnmatchedItem.objects.order_by("pk")
    listed = text_of(first.get("/desk/held-deposits/"))
    assert ("BYN 10.00" in listed, "A limit is reached" in listed, held_money()) == (True, True, 1_300)
    payment = f"/desk/payments/{item.pk}/"
    assert has(first, "/desk/payments/", payment)
    assert has(first, payment, f"/desk/held-deposits/{back.pk}/")
    assert refused_at(first, payment, {"act": "close", "decision": "a text"}, None).startswith("Its money is held")
    assert refused_at(first, payment, {"act": "close", "decision": ""}, "decision")
    assert refused_at(first, payment, {"act": "burn", "decision": "x"}, "act")
    assert first.post(payment, {"act": "hold", "decision": ""}).status_code == 302
    assert held_money() == 1_300  # held before, held once
    to_credit = f"/desk/payments/{other_item.pk}/"
    for _press in range(2):
        first.post(to_credit, {"act": "credit", "decision": "The limit is raised"})
    credited.refresh_from_db()
    assert (credited.state, money_of(player), held_money()) == ("credited", 300, 1_000)
    assert first.get(to_credit).context["form"] is None
    assert list(first.get("/desk/payments/?closed=yes").context["page"]) == [other_item]

    here = f"/desk/held-deposits/{back.pk}/"
    form = {"reason": "Excluded", "way": "returned", "document": "Letter 4"}
    assert refused_at(first, here, {**form, "document": ""}, "document") == "Name the document that says so."
    assert refused_at(first, here, {**form, "way": "ask"}, "document")
    assert refused_at(first, here, {**form, "way": "not_returned"}, None).startswith("Nothing was sent")
    assert refused_at(first, here, {**form, "reason": " "}, "reason")
    assert first.post(here, form).status_code == 302
    approve = f"/desk/held-deposits/returns/{DepositReturn.objects.get().pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    second.get(approve)
    assert held_money() == 1_000
    second.post(approve)
    assert (held_money(), money_of(player), broken()) == (0, 300, [])
    pressed_in_vain(second, approve)
    assert first.get(here).context["form"] is None
    assert list(first.get("/desk/held-deposits/?state=returned").context["page"]) == [back]
    assert "No such deposits." in text_of(first.get("/desk/held-deposits/?state=odd"))


def test_f1_what_does_not_agree_is_closed_with_what_was_done(provider: FakeProvider) -> None:
    staff = visitor(make_organizers()[0])
    hear(provider.message("deposit", "D-999999", amount=500))
    item = UnmatchedItem.objects.get()
    here = f"/desk/payments/{item.pk}/"
    for act in ("credit", "hold"):
        told = refused_at(staff, here, {"act": act, "decision": "Letter"}, None)
        assert told == "The payment system does not have this money."
    for _press in range(2):
        staff.post(here, {"act": "close", "decision": "Theirs, letter 5"})
    item.refresh_from_db()
    assert item.decision == "Theirs, letter 5"
    assert "Theirs, letter 5" in text_of(staff.get(here))
    assert "Every payment agrees." in text_of(staff.get("/desk/payments/"))


def test_p41_orders_go_to_the_bank_in_one_file_and_what_comes_back_is_drawn_up_anew() -> None:
    (one, other), here = make_organizers(), "/desk/payment-orders/"
    first, second = visitor(one), visitor(other)
    assert "Enter the account first" in text_of(first.get(here))
    own = own_account()
    for amount in (300, 45_001):
        decide(transfer(amount, "за участие"), Outcome.RETURNED)
    paid, failed = PaymentOrder.objects.order_by("pk")
    page = first.get(here)
    assert page.context["waiting"] == {"number": 2, "total": 45_301}
    assert "BYN 453.01" in text_of(page)
    form = {"account": own.pk, "after": page.context["form"].initial["after"]}
    assert refused_at(first, here, {**form, "account": 10**9}, "account")
    assert refused_at(first, here, {**form, "after": "x"}, "after")
    for _press in range(2):  # one file, shown twice
        assert first.post(here, form)["Location"] == f"{here}files/"
    file = PaymentFile.objects.get()
    assert (file.orders, file.total) == (2, 45_301)
    assert has(first, f"{here}files/", f"/api/v1/staff/payment-files/{file.message_id}")
    assert "PmtInf" in first.get(f"/api/v1/staff/payment-files/{file.message_id}").content.decode()
    form["after"] = file.pk
    assert refused_at(first, here, form, None) == "No payment order waits for the bank."
    take_in(csv_line(300, "выплата", debit=True, document=paid.number))
    assert [order.pk for order in first.get(f"{here}?state=executed").context["page"]] == [paid.pk]

    one_order = f"{here}{failed.pk}/"
    before = in_bank()
    assert refused_at(first, one_order, {"reason": " "}, "reason")
    assert first.post(one_order, {"reason": "No such account"}).status_code == 302
    payee = {"payee_name": "Иванова Анна", "payee_account": PAYER, "payee_bank": ""}
    assert refused_at(first, one_order, {**payee, "payee_account": PAYER[:-1] + "3"}, "payee_account")
    assert refused_at(first, one_order, {**payee, "payee_name": ""}, "payee_name")
    for _press in range(2):  # drawn up once
        first.post(one_order, payee)
    anew = PaymentOrder.objects.get(replaces=failed)
    assert (anew.amount, anew.requisites_by, PaymentOrder.objects.count()) == (45_001, one, 3)
    assert has(first, one_order, f"{here}{anew.pk}/")
    assert "Another person must approve it." in refused_at(first, here, form, None)
    assert second.post(here, form).status_code == 302
    anew.refresh_from_db()
    assert (anew.state, in_bank(), broken()) == (OrderState.EXPORTED, before, [])
    assert f"iban={OURS}" in first.get(f"{here}{anew.pk}/").content.decode()


def test_f2_a_withdrawal_without_an_answer_is_ended_by_two(provider: FakeProvider) -> None:
    (one, other), player = make_organizers(), make_player()
    first, second = visitor(one), visitor(other)
    withdrawal = ask_back(player, 500, deposit_by(provider, player, 500))
    provider.silent = True
    send_withdrawal(withdrawal=withdrawal)
    here = f"/desk/withdrawal-ends/{withdrawal.pk}/"
    assert has(first, "/desk/withdrawal-ends/", here)
    assert refused_at(first, here, {"paid": "", "document": "Letter 8"}, "paid")
    assert refused_at(first, here, {"paid": "no", "document": " "}, "document")
    for paid in ("yes", "no"):
        assert first.post(here, {"paid": paid, "document": "Letter 8"}).status_code == 302
    earlier, latest = withdrawal.proposals.order_by("pk")
    approve = f"/desk/withdrawal-ends/proposals/{latest.pk}/approve/"
    assert (has(first, here, approve), has(second, here, approve)) == (False, True)
    assert "Another person must approve it." in pressed_in_vain(first, approve)
    pressed_in_vain(second, f"/desk/withdrawal-ends/proposals/{earlier.pk}/approve/")
    second.get(approve)
    assert money_of(player) == 0
    second.post(approve)
    withdrawal.refresh_from_db()
    assert (withdrawal.state, money_of(player), broken()) == (WithdrawalState.FAILED, 500, [])
    pressed_in_vain(second, approve)
    assert money_of(player) == 500
    assert "Every withdrawal was answered." in text_of(first.get("/desk/withdrawal-ends/"))
