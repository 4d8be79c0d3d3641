"""Giving back a paid winning whose bet was cancelled: booked by its document, never more than is owed (¶29, D-3)."""

from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import Till
from payouts.models import ReceivablePayment
from payouts.services.receivables import book_receivable_payment
from tests.claiming import won
from tests.disputing import cancelled
from tests.functional.calling import Caller, told
from tests.making import make_organizers, make_player, make_till
from tests.paying import broken, go_to, pay, payable_from
from tests.posting import bank
from tests.refusals import every_row, refused
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def owed_on(ticket: str) -> int:
    return balance(ledger_account(AccountKind.RECEIVABLE, ticket))


def reclaimed(till: Till) -> str:
    """A ticket that was paid 66 kopecks, and whose bet was cancelled afterwards."""
    pool, slip = won(till)
    go_to(payable_from(pool))
    pay(slip, till)
    assert cancelled(slip.bet.ticket).taken == 66
    return slip.bet.ticket


def test_it_is_given_back_in_parts_each_by_its_document_once() -> None:
    ticket, staff = reclaimed(make_till(1_000)), make_organizers()[0]
    at_bank = balance(bank())
    act = partial(book_receivable_payment, ticket=ticket, booked_by=staff)
    first = act(amount=40, document="Payment order 12")
    assert (first.amount, owed_on(ticket), balance(bank()) - at_bank) == (40, 26, 40)
    before = every_row()
    assert act(amount=40, document=" Payment order 12 ") == first
    assert every_row() == before
    other = refused(partial(act, amount=26, document="Payment order 12"))
    assert (other.code, other.field) == (Refusal.BAD_VALUE, "document")
    too_much = refused(partial(act, amount=27, document="Payment order 13"))
    assert (too_much.code, too_much.field, too_much.details) == (Refusal.BAD_VALUE, "amount", {"owed": 26})
    act(amount=26, document="Payment order 13")
    assert (owed_on(ticket), balance(bank()) - at_bank) == (0, 66)
    assert refused(partial(act, amount=1, document="Payment order 14")).code == Refusal.NOTHING_TO_PAY
    record = JournalRecord.objects.filter(act="book_receivable_payment").latest("pk")
    assert (record.subject, record.after) == (
        f"bet:{ticket}",
        {"amount": 26, "document": "Payment order 13", "owed": 0},
    )
    assert broken() == []


def test_what_is_refused_changes_nothing() -> None:
    till = make_till(1_000)
    ticket, staff = reclaimed(till), make_organizers()[0]
    act = partial(book_receivable_payment, ticket=ticket, amount=1, document="Order", booked_by=staff)
    for stranger in (make_player(), till.cashier):
        assert refused(partial(act, booked_by=stranger)).code == Refusal.NOT_ALLOWED
    for wrong in ({"amount": 0}, {"amount": -1}, {"document": " "}, {"document": "x" * 101}):
        refusal = refused(partial(act, **wrong))
        assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, next(iter(wrong)))
    assert refused(partial(act, ticket="NONE")).code == Refusal.NOT_FOUND


def test_the_staff_see_what_is_owed_and_book_it_once_over_the_api() -> None:
    ticket, staff = reclaimed(make_till(1_000)), Caller(make_organizers()[0])
    (row,) = staff.get("staff/receivables").json()["receivables"]
    assert row == {"ticket": ticket, "owed": "0.66"}
    body, path = {"amount": "0.66", "document": "Order 1"}, f"staff/tickets/{ticket}/receivable-payments"
    answers = [staff.post(path, body, key="once") for _ in range(2)] + [staff.post(path, body)]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert {answer.json()["amount"] for answer in answers} == {"0.66"}
    assert ReceivablePayment.objects.count() == 1
    assert staff.get("staff/receivables").json()["receivables"][0]["owed"] == "0.00"
    assert [row["document"] for row in staff.get("staff/receivable-payments").json()["payments"]] == ["Order 1"]
    assert told(staff.post(path, {"amount": "0.01", "document": "Order 2"})) == (409, "nothing_to_pay")
