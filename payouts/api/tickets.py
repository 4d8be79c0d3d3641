"""Tickets over the API: paying one in cash at the caller's till."""

from typing import cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.permissions import CanPayTickets
from payouts.models import Payment
from payouts.services.cash import pay_in_cash
from pools.api.requests import idempotency_key
from totalizator.core.money import plain_byn


class PaymentRequest(serializers.Serializer[None]):
    """The body of a payment."""

    check_code = serializers.CharField(max_length=40)


class TicketPayments(APIView):
    """`POST tickets/{ticket}/payments`."""

    permission_classes = (CanPayTickets,)

    def post(self, request: Request, ticket: str) -> Response:
        """Pay a ticket once; the same key gets the same payment again."""
        body = PaymentRequest(data=request.data)
        body.is_valid(raise_exception=True)
        payment = pay_in_cash(
            ticket=ticket,
            check_code=body.validated_data["check_code"],
            cashier=cast(User, request.user),
            idempotency_key=idempotency_key(request),
        )
        return Response(payment_document(payment), status=201)


def payment_document(payment: Payment) -> dict[str, object]:
    """Write a payment with every amount as text (C44)."""
    return {
        "ticket": payment.ticket,
        "kind": payment.kind,
        "method": payment.method,
        "gross": plain_byn(payment.gross),
        "tax": plain_byn(payment.tax),
        "net": plain_byn(payment.net),
        "paid_at": payment.paid_at.isoformat(),
    }
