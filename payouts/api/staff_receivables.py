"""Winnings that were paid and are to be given back: what is open, and booking what came back (¶29, D-3)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.models import LedgerAccount, User
from payouts.models import ReceivablePayment
from payouts.services.receivables import book_receivable_payment
from totalizator.core.api.bodies import Amount, Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: refunds"


class GivenBackBody(Body):
    """How much came to the bank, and the paper that shows it."""

    amount = Amount()
    document = Text(max_length=100)


class ReceivableDocument(serializers.Serializer[None]):
    """What is still to be given back on a ticket."""

    ticket = serializers.CharField()
    owed = Byn()


class GivenBackDocument(serializers.Serializer[None]):
    """What was given back on a ticket."""

    pool = serializers.CharField()
    ticket = serializers.CharField()
    amount = Byn()
    document = serializers.CharField()
    booked_by = serializers.CharField()
    booked_at = Moment()


def _receivables(query: Told) -> QuerySet[LedgerAccount]:  # noqa: ARG001
    return LedgerAccount.objects.filter(kind=AccountKind.RECEIVABLE)


def _receivable(account: LedgerAccount) -> Written:
    return {"ticket": account.owner, "owed": plain_byn(balance(account))}


def _payments(query: Told) -> QuerySet[ReceivablePayment]:  # noqa: ARG001
    return ReceivablePayment.objects.select_related("pool", "booked_by")


def _payment(payment: ReceivablePayment) -> Written:
    return {
        "pool": payment.pool.code,
        "ticket": payment.ticket,
        "amount": plain_byn(payment.amount),
        "document": payment.document,
        "booked_by": payment.booked_by.get_username(),
        "booked_at": instant(payment.booked_at),
    }


def _book(staff: User, told: Told, ticket: str) -> ReceivablePayment:
    return book_receivable_payment(ticket=ticket, **told, booked_by=staff)


def _booked(staff: User, told: Told, ticket: str) -> Written:  # noqa: ARG001
    return _payment(found(_payments({}), ticket=ticket, document=told["document"].strip()))


_STAFF: dict[str, Any] = {"tag": TAG}
DECLARED = (
    Listing(
        path="receivables",
        name="staff_receivables",
        summary="Tickets whose paid winning is to be given back, with what is still owed (¶29)",
        rows_name="receivables",
        row=ReceivableDocument,
        rows=_receivables,
        write=_receivable,
        **_STAFF,
    ),
    Listing(
        path="receivable-payments",
        name="staff_receivable_payments",
        summary="What was given back, the newest first",
        rows_name="payments",
        row=GivenBackDocument,
        rows=_payments,
        write=_payment,
        **_STAFF,
    ),
    Act(
        path="tickets/<label:ticket>/receivable-payments",
        name="staff_receivable_pay",
        summary="Book that a paid winning, or a part of it, was given back by transfer",
        body=GivenBackBody,
        answer=GivenBackDocument,
        do=_book,
        shown=_booked,
        refused=(Refusal.NOT_FOUND, Refusal.NOTHING_TO_PAY),
        about="One payment for each document. The line of the bank's statement is then what a document booked before.",
        **_STAFF,
    ),
)
