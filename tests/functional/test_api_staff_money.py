"""Staff's acts on withdrawals, payment orders and the bank over the API."""

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import (
    CurrencyRate,
    OrderState,
    Outcome,
    OwnBankAccount,
    PaymentFile,
    PaymentOrder,
    PostalOperator,
    Receipt,
    TopUp,
    Withdrawal,
)
from pools.models import ReceiptProposal
from tests.banking import OURS, PAYER, bank_file, csv_line, decide, in_suspense, own_account, transfer
from tests.functional.calling import Caller, told
from tests.functional.uploading import upload
from tests.making import make_organizers, make_player
from tests.paying import broken, money_of
from tests.topping_up import ask_back, due, named_bank
from totalizator.core import clock
from totalizator.core.api.documents import instant

pytestmark = pytest.mark.django_db
LARGE = 500_000


def waiting() -> Withdrawal:
    """A withdrawal of so much that staff must approve it."""
    player = make_player(LARGE)
    return ask_back(player, LARGE, named_bank(player))


def test_f2_a_withdrawal_that_waits_is_approved_once() -> None:
    staff, withdrawal = make_organizers()[0], waiting()
    caller = Caller(staff)
    (listed,) = caller.get("staff/withdrawals").json()["withdrawals"]
    assert listed == {
        "number": withdrawal.pk,
        "username": withdrawal.account.player.username,
        "amount": "5000.00",
        "state": "requested",
        "instrument": withdrawal.instrument.label,
        "provider": "",
        "signed_wish": "",
        "requested_at": instant(withdrawal.requested_at),
        "moved_at": instant(withdrawal.moved_at),
        "approved_by": None,
        "reason": "",
    }
    where = f"staff/withdrawals/{withdrawal.pk}/approval"
    answers = [caller.post(where, {}, key="approve") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    withdrawal.refresh_from_db()
    assert withdrawal.approved_by == staff
    assert answers[0].json()["approved_by"] == staff.username
    assert told(caller.post(where, {})) == (409, "wrong_state")
    assert caller.get("staff/withdrawals").json()["withdrawals"] == []
    assert caller.get(f"staff/withdrawals?state={withdrawal.state}").json()["withdrawals"] == [answers[0].json()]
    assert (due() + balance(ledger_account(AccountKind.ORDERS_DUE)), broken()) == (LARGE, [])


def test_a_withdrawal_that_waits_is_taken_back_once() -> None:
    caller, withdrawal = Caller(make_organizers()[0]), waiting()
    where = f"staff/withdrawals/{withdrawal.pk}/cancellation"
    answers = [caller.post(where, {"reason": "He called"}, key="cancel") for _ in range(2)]
    assert [(each.status_code, each.json()["state"], each.json()["reason"]) for each in answers] == [
        (200, "cancelled", "He called")
    ] * 2
    assert (money_of(withdrawal.account.player), due()) == (LARGE, 0)
    assert told(caller.post(where, {"reason": "He called"})) == (409, "wrong_state")
    assert told(caller.post(f"staff/withdrawals/{withdrawal.pk}/end", {"paid": True, "document": "Act 1"})) == (
        409,
        "wrong_state",
    )


def two_orders() -> list[PaymentOrder]:
    """Two payments that go back to their payers."""
    for amount in (300, 45_001):
        decide(transfer(amount, "за участие"), Outcome.RETURNED)
    return list(PaymentOrder.objects.order_by("pk"))


def test_payment_orders_are_given_to_the_bank_once_and_handed_out_again() -> None:
    (one, other), orders = make_organizers(), two_orders()
    caller = Caller(one)
    (first, _second) = caller.get("staff/payment-orders").json()["orders"]
    assert first == {
        "number": orders[0].pk,
        "cause": orders[0].cause,
        "amount": "3.00",
        "purpose": orders[0].purpose,
        "state": "drawn_up",
        "drawn_up_at": instant(orders[0].drawn_up_at),
        "moved_at": instant(orders[0].moved_at),
        "reason": "",
    }
    page = caller.get(f"staff/payment-orders/{orders[0].pk}/page?iban={OURS}")
    assert (page.status_code, page["Content-Type"], page.content[:5]) == (200, "application/pdf", b"%PDF-")
    assert told(caller.get(f"staff/payment-orders/{orders[0].pk}/page?iban=BY1")) == (404, "not_found")
    assert told(caller.post("staff/payment-exports", {"iban": "BY1"})) == (404, "not_found")
    answers = [caller.post("staff/payment-exports", {"iban": OURS}, key="export") for _ in range(2)]
    file = PaymentFile.objects.get()
    written = {
        "message_id": file.message_id,
        "iban": OURS,
        "orders": 2,
        "total": "453.01",
        "digest": file.digest,
        "made_by": one.username,
        "made_at": instant(file.made_at),
    }
    assert [(answer.status_code, answer.json()) for answer in answers] == [(201, written)] * 2
    assert told(caller.post("staff/payment-exports", {"iban": OURS})) == (409, "nothing_to_pay")
    assert caller.get("staff/payment-files").json() == {"files": [written], "next": None}
    again = Caller(other).get(f"staff/payment-files/{file.message_id}")
    assert (again.content.decode(), again["Content-Type"]) == (file.content, "application/xml")
    assert PaymentFile.objects.count() == 1
    assert caller.get("staff/payment-orders").json()["orders"] == []


def test_an_order_comes_back_and_is_drawn_up_anew_for_another_person_to_give() -> None:
    (one, other), orders = make_organizers(), two_orders()
    caller = Caller(one)
    where = f"staff/payment-orders/{orders[0].pk}"
    assert told(caller.post(f"{where}/return", {"reason": "No such account"})) == (409, "wrong_state")
    caller.post("staff/payment-exports", {"iban": OURS})
    returned = [caller.post(f"{where}/return", {"reason": "No such account"}, key="back") for _ in range(2)]
    assert [(each.json()["state"], each.json()["reason"]) for each in returned] == [("returned", "No such account")] * 2
    payee = {"name": "Иванова Анна", "account": PAYER}
    wrong = caller.post(f"{where}/replacement", payee | {"account": "BY00ALFA30140000000000000042"})
    assert told(wrong) == (400, "bad_value")
    anew = [caller.post(f"{where}/replacement", payee, key="anew") for _ in range(2)]
    order = PaymentOrder.objects.get(replaces=orders[0])
    assert [(each.status_code, each.json()["number"], each.json()["amount"]) for each in anew] == [
        (201, order.pk, "3.00")
    ] * 2
    assert order.requisites_by == one
    assert told(caller.post("staff/payment-exports", {"iban": OURS})) == (403, "same_person")
    assert Caller(other).post("staff/payment-exports", {"iban": OURS}).json()["total"] == "3.00"
    assert PaymentOrder.objects.filter(state=OrderState.REPLACED).get() == orders[0]


def test_our_account_is_entered_once() -> None:
    caller = Caller(make_organizers()[0])
    body = {"iban": OURS, "bank": "AKBBBY2X", "holder": "ООО «Тотализатор»"}
    first, again = (caller.post("staff/bank-accounts", body) for _ in range(2))
    account = OwnBankAccount.objects.get()
    written = body | {"entered_at": instant(account.entered_at)}
    assert (first.status_code, first.json(), again.json()) == (201, written, written)
    wrong = caller.post("staff/bank-accounts", body | {"iban": OURS[:-1] + "8"})
    assert (told(wrong), wrong.json()["field"]) == ((400, "bad_value"), "iban")
    assert caller.get("staff/bank-accounts").json() == {"accounts": [written], "next": None}


def test_an_agreement_with_the_post_is_entered_from_today_on() -> None:
    staff = make_organizers()[0]
    caller = Caller(staff)
    body = {
        "name": "Belpost",
        "account": PAYER,
        "bank": "ALFABY2X",
        "agreement": "No. 5",
        "valid_from": clock.today().isoformat(),
    }
    entered = caller.post("staff/postal-operators", body)
    post = PostalOperator.objects.get()
    written = body | {"entered_by": staff.username, "entered_at": instant(post.entered_at)}
    assert (entered.status_code, entered.json()) == (201, written)
    early = caller.post("staff/postal-operators", body | {"valid_from": "2020-01-01"})
    assert (told(early), early.json()["field"]) == ((400, "bad_value"), "valid_from")
    assert caller.get("staff/postal-operators").json() == {"operators": [written], "next": None}


def test_a_transfer_is_credited_by_its_document_once() -> None:
    caller, player = Caller(make_organizers()[0]), make_player()
    body = {
        "username": player.username,
        "amount": "12.50",
        "way": "post",
        "reference": "PO-77",
        "received_at": "2026-11-01T10:00:00+03:00",
    }
    answers = [caller.post("staff/transfers", body, key="credit") for _ in range(2)] + [
        caller.post("staff/transfers", body)
    ]
    top_up = TopUp.objects.get(reference="PO-77")
    written = {"way": "post", "reference": "PO-77", "amount": "12.50", "credited_at": instant(top_up.credited_at)}
    assert [(answer.status_code, answer.json()) for answer in answers] == [(201, written)] * 3
    assert money_of(player) == 1_250
    assert told(caller.post("staff/transfers", body | {"amount": "13.00"})) == (409, "key_reused")
    assert told(caller.post("staff/transfers", body | {"way": "cash"})) == (400, "bad_value")
    assert told(caller.post("staff/transfers", body | {"username": "nobody"})) == (404, "not_found")
    assert (money_of(player), broken()) == (1_250, [])


def test_a_statement_is_read_once_and_what_found_no_place_is_decided_by_two() -> None:
    (one, other), player = make_organizers(), make_player()
    own_account()
    caller, file = Caller(one), bank_file(csv_line(300, "за участие"))
    read = [upload(caller, "bank-statements", file).json() for _ in range(2)]
    assert read == [
        {"statements": 1, "new": 1, "known": 0, "maybe": 0, "placed": 0},
        {"statements": 1, "new": 0, "known": 1, "maybe": 0, "placed": 0},
    ]
    assert told(upload(caller, "bank-statements", b"no statement")) == (400, "bad_value")
    receipt = Receipt.objects.get()
    (line,) = caller.get("staff/receipts").json()["receipts"]
    assert line == {
        "number": receipt.pk,
        "booked_on": clock.today().isoformat(),
        "open_amount": "3.00",
        "why": "no_reference",
        "reference": "",
        "refusal": "",
        "payer_name": "Иванова Анна",
        "payer_account": PAYER,
        "purpose": "за участие",
        "proposal": None,
    }
    where = f"staff/receipts/{receipt.pk}/proposals"
    why = {"outcome": "account", "reason": "She called", "document": "Act 7"}
    nobody = caller.post(where, why)
    assert (told(nobody), nobody.json()["field"]) == ((400, "bad_value"), "account")
    proposed = caller.post(where, why | {"username": player.username})
    proposal = ReceiptProposal.objects.get()
    written = {
        "number": proposal.pk,
        "receipt": receipt.pk,
        "outcome": "account",
        "amount": "3.00",
        "reason": "She called",
        "document": "Act 7",
        "proposed_by": one.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": False,
    }
    assert (proposed.status_code, proposed.json()) == (201, written)
    assert caller.get("staff/receipts").json()["receipts"] == [line | {"proposal": written}]
    approval = f"staff/receipt-proposals/{proposal.pk}/approval"
    assert told(caller.post(approval, {})) == (403, "same_person")
    assert (money_of(player), in_suspense()) == (0, 300)
    approved = [Caller(other).post(approval, {}, key="approve") for _ in range(2)]
    assert [(answer.status_code, answer.json()) for answer in approved] == [(200, written | {"decided": True})] * 2
    assert (money_of(player), in_suspense(), broken()) == (300, 0, [])
    assert caller.get("staff/receipts").json()["receipts"] == []
    assert told(caller.post(where, why | {"username": player.username})) == (409, "wrong_state")


def test_rates_are_read_from_a_file_and_a_faulty_line_is_named() -> None:
    caller = Caller(make_organizers()[0])
    table = b"date;currency;units;rate\r\n2026-11-01;USD;1;3.2150\r\n2026-11-01;XXX;1;2\r\n"
    read = upload(caller, "currency-rates", table, origin="The National Bank")
    assert (read.status_code, read.json()["new"]) == (201, 1)
    assert [(fault["line"], fault["code"]) for fault in read.json()["faults"]] == [(3, "bad_value")]
    rate = CurrencyRate.objects.get()
    assert caller.get("staff/currency-rates").json()["rates"] == [
        {
            "currency": "USD",
            "valid_on": "2026-11-01",
            "units": 1,
            "rate": "3.2150",
            "origin": "The National Bank",
            "imported_at": instant(rate.imported_at),
        }
    ]
    for no_table in (b"\xff", b"a\0b", b"date;currency\n"):
        answer = upload(caller, "currency-rates", no_table, origin="The National Bank")
        assert (told(answer), answer.json()["field"]) == ((400, "bad_value"), "file")
    assert CurrencyRate.objects.count() == 1
