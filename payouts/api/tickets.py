"""Tickets over the API: where one stands, and paying it in cash at the caller's till."""

from typing import Any

from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.persons import PersonBody, person_shown
from accounts.permissions import AreCashiers, terminal_of
from payouts.api.holders import CheckBody, for_holder, guarded
from payouts.models import Payable, PayableKind, Payment, PaymentMethod
from payouts.queries import TicketStanding, TicketStatus, ticket_status
from payouts.services.cash import pay_in_cash
from pools.api.documents import LogHeadDocument, log_head_document
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Tickets"


class PaymentBody(Body):
    """The check code of the ticket that is to be paid, and who showed a document, which large sums need."""

    check_code = Text(max_length=40)
    person = PersonBody(required=False)
    phone_code = Text(max_length=10, required=False, default="", help_text="Of a ticket that is bound to a phone.")


class TicketDocument(serializers.Serializer[None]):
    """Where a ticket stands; `amount` is what it won before tax, or the stake that goes back."""

    ticket = serializers.CharField()
    pool = serializers.CharField()
    stake = Byn()
    standing = serializers.ChoiceField(TicketStanding.choices)
    amount = Byn()
    payable_from = Moment(allow_null=True)
    payable_until = Moment(allow_null=True, help_text="Exclusive.")
    paid_at = Moment(allow_null=True)
    paid_where = serializers.CharField(allow_null=True, help_text="The point and its till; null: not in cash (C58).")
    paid_how = serializers.ChoiceField(PaymentMethod.choices, allow_null=True)
    log_head = LogHeadDocument(allow_null=True)


class PaymentDocument(serializers.Serializer[None]):
    """A payment; gross = tax + net."""

    ticket = serializers.CharField()
    kind = serializers.ChoiceField(PayableKind.choices)
    method = serializers.ChoiceField(PaymentMethod.choices)
    gross = Byn()
    tax = Byn(help_text="Withheld income tax (D-17).")
    net = Byn()
    handed_over = Byn(help_text="The net, rounded down to the smallest coin where it is paid in cash (C46).")
    paid_at = Moment()


class TicketChecks(APIView):
    """`POST tickets/check`: a POST, so that no check code stands in an address that somebody keeps."""

    permission_classes = (AllowAny,)

    @described(
        "ticket_check",
        "Where a ticket stands, for who has its check code",
        tag=TAG,
        answers={200: TicketDocument},
        body=CheckBody,
        refused=(Refusal.WRONG_CODE,),
        about="One answer for an unknown number and a wrong code; ten wrong tries in a minute have to wait (D-13).",
    )
    def post(self, request: Request) -> Response:
        """Tell where it stands."""
        return for_holder(request, lambda ticket, code: Response(_standing(ticket_status(ticket, code))))


class TicketPayments(APIView):
    """`POST tickets/{ticket}/payments`."""

    permission_classes = (AreCashiers,)

    @described(
        "payment",
        "Pay a ticket in cash at my till, once",
        tag=TAG,
        answers={201: PaymentDocument},
        body=PaymentBody,
        keyed=True,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.WRONG_CODE,
            Refusal.NOTHING_TO_PAY,
            Refusal.NOT_PAYABLE_YET,
            Refusal.TERM_EXPIRED,
            Refusal.ALREADY_PAID,
            Refusal.INSUFFICIENT_FUNDS,
            Refusal.NO_OPEN_SHIFT,
            Refusal.NO_AGREEMENT,
            Refusal.SWITCHED_OFF,
            Refusal.UNDER_AGE,
            Refusal.IDENTITY_NEEDED,
            Refusal.TICKET_HELD,
            Refusal.PHONE_CODE_NEEDED,
            Refusal.CENTRAL_DESK_ONLY,
            Refusal.APPROVAL_NEEDED,
        ),
        about="An unknown ticket is `wrong_code` too; `not_found` is what cannot be a number.",
    )
    def post(self, request: Request, ticket: str) -> Response:
        """Pay it; the same key gets the same payment again."""
        key, body = idempotency_key(request), read_body(request, PaymentBody)

        def pay() -> Payment:
            return pay_in_cash(
                ticket=ticket,
                check_code=body["check_code"],
                cashier=person_asking(request),
                idempotency_key=key,
                person=person_shown(body.get("person")),
                terminal=terminal_of(request),
                phone_code=body["phone_code"],
            )

        return Response(payment_document(guarded(request, ticket, pay)), status=201)


def payment_document(payment: Payment) -> dict[str, object]:
    """Write a payment with every amount as text (C44)."""
    return {
        "ticket": payment.ticket,
        "kind": payment.kind,
        "method": payment.method,
        "gross": plain_byn(payment.gross),
        "tax": plain_byn(payment.tax),
        "net": plain_byn(payment.net),
        "handed_over": plain_byn(payment.handed_over),
        "paid_at": instant(payment.paid_at),
    }


def _standing(status: TicketStatus) -> dict[str, Any]:
    payable: Payable | None = status.payable
    return {
        "ticket": status.bet.ticket,
        "pool": status.bet.pool.code,
        "stake": plain_byn(status.bet.stake),
        "standing": status.standing,
        "amount": plain_byn(status.amount),
        "payable_from": instant_or_none(payable.payable_from) if payable is not None else None,
        "payable_until": instant_or_none(payable.payable_until) if payable is not None else None,
        "paid_at": instant_or_none(status.payment.paid_at) if status.payment is not None else None,
        "paid_where": status.paid_where,
        "paid_how": status.payment.method if status.payment is not None else None,
        "log_head": log_head_document(status.bet),
    }
