"""The signed wish to have the winning of a card bet in cash by the ticket (¶41)."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import AreCashiers
from payouts.api.holders import guarded
from payouts.api.tickets import TAG
from payouts.services.cash_wishes import wish_cash
from totalizator.core.api.bodies import Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal


class WishBody(Body):
    """The check code of the ticket, and the signed paper by its number."""

    check_code = Text(max_length=40)
    document = Text(max_length=200)


class WishDocument(serializers.Serializer[None]):
    """A wish, as it was noted first."""

    ticket = serializers.CharField()
    document = serializers.CharField()
    taken_at = Moment()


class CashWishes(APIView):
    """`POST tickets/{ticket}/cash-wish`."""

    permission_classes = (AreCashiers,)

    @described(
        "cash_wish",
        "Note the signed wish to have the winning of a card bet in cash",
        tag=TAG,
        answers={200: WishDocument},
        body=WishBody,
        refused=(Refusal.WRONG_CODE, Refusal.ALREADY_PAID, Refusal.NOT_FOUND),
        about="No money moves by it, and noted again it is the first wish: so it needs no Idempotency-Key. A returned"
        " stake goes to the card all the same. `not_found` is what cannot be a ticket's number.",
    )
    def post(self, request: Request, ticket: str) -> Response:
        """Note it."""
        told = read_body(request, WishBody)
        cashier = person_asking(request)
        wish = guarded(request, ticket, lambda: wish_cash(ticket=ticket, **told, cashier=cashier))
        return Response({"ticket": wish.ticket, "document": wish.document, "taken_at": instant(wish.taken_at)})
