"""Two who book at once what was given back on one ticket (¶29)."""

from threading import Barrier

import pytest

from accounts.ledger.balances import balance
from accounts.models import LedgerAccount, User
from payouts.models import ReceivablePayment
from payouts.services import receivables
from payouts.services.receivables import book_receivable_payment
from tests.concurrency.racing import race
from tests.integration.test_receivables import owed_on, reclaimed
from tests.making import make_organizers, make_till
from tests.paying import broken
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def book(ticket: str, document: str, by: User) -> ReceivablePayment:
    return book_receivable_payment(ticket=ticket, amount=66, document=document, booked_by=by)


def test_two_documents_at_once_never_give_back_more_than_is_owed_and_one_document_is_one_payment() -> None:
    till, staff = make_till(10_000), make_organizers()
    for documents, payments in ((("Order 1", "Order 2"), 1), (("Order 3", "Order 3"), 2)):
        ticket = reclaimed(till)
        results = race(
            [
                lambda ticket=ticket, document=document, by=by: book(ticket, document, by)  # type: ignore[misc]
                for document, by in zip(documents, staff, strict=True)
            ]
        )
        assert [isinstance(result, ReceivablePayment) for result in results].count(True) == payments
        refusals = [result.code for result in results if isinstance(result, DomainError)]
        assert refusals == [Refusal.NOTHING_TO_PAY] * (2 - payments)
        assert (owed_on(ticket), ReceivablePayment.objects.filter(ticket=ticket).count()) == (0, 1)
    assert broken() == []


def test_negative_control_without_holding_the_ticket_more_is_given_back_than_was_owed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticket, staff = reclaimed(make_till(1_000)), make_organizers()
    looked, seen = Barrier(2), balance

    def both_look(account: LedgerAccount) -> int:
        found = seen(account)
        if found == 66:  # before anything is booked: wait until the other one has seen the same
            looked.wait(30)
        return found

    monkeypatch.setattr(receivables, "hold_ticket", lambda *_place: None)
    monkeypatch.setattr(receivables, "balance", both_look)
    race(
        [
            lambda document=document, by=by: book(ticket, document, by)  # type: ignore[misc]
            for document, by in zip(("Order 1", "Order 2"), staff, strict=True)
        ]
    )
    assert owed_on(ticket) == -66
    assert broken() == ["nobody gave back more than was owed"]
