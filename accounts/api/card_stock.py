"""Prepaid cards on their way to the points, and what each point has for sale (D2)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking, point_named, till_asking
from accounts.models import Role
from accounts.permissions import AreCashiers, AreDeskPeople, AreStaff
from accounts.queries.cards import IN_STOCK, unsold_at
from accounts.services.card_ranges import CardRange
from accounts.services.card_stock import receive_cards, ship_cards
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Prepaid cards"


class RangeBody(Body):
    """Cards of a series from the first number to the last, as printed."""

    series = Text(max_length=20)
    first = Text(max_length=40)
    last = Text(max_length=40)


class ShipmentBody(RangeBody):
    """Cards, where they go, and the paper that goes with them."""

    point = Text(max_length=12)
    document = Text(max_length=200)


class StockQuery(Body):
    """Of which point."""

    point = Text(required=False, max_length=12, help_text="For staff; a cashier sees the own point.")


class MovedCards(serializers.Serializer[None]):
    """How many cards were sent or taken: all of the range."""

    series = serializers.CharField()
    first = serializers.CharField()
    last = serializers.CharField()
    quantity = serializers.IntegerField()


class StockLine(serializers.Serializer[None]):
    """Cards of one batch at one point, or on their way there."""

    point = serializers.CharField()
    series = serializers.CharField()
    face_value = Byn()
    state = serializers.ChoiceField([(state.value, state.label) for state in IN_STOCK])
    quantity = serializers.IntegerField()
    first = serializers.CharField(help_text="The lowest number; those between need not all be here.")
    last = serializers.CharField()


class Stock(serializers.Serializer[None]):
    """All that is unsold at points."""

    stock = StockLine(many=True)


class CardShipments(APIView):
    """`POST cards/shipments`."""

    permission_classes = (AreStaff,)

    @described(
        "cards_ship",
        "Send a range of prepaid cards to a point: all of them, or none",
        tag=TAG,
        answers={201: MovedCards},
        body=ShipmentBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Send them once."""
        idempotency_key(request)
        wish, staff = read_body(request, ShipmentBody), person_asking(request)
        cards, point, document = _range(wish), point_named(wish["point"]), wish["document"]

        def act() -> None:
            ship_cards(cards=cards, point=point, document=document, shipped_by=staff)

        once(request, act, "ship_cards", cards.subject, point.pk, document)
        return Response(_moved(cards), status=201)


class CardReceipts(APIView):
    """`POST cards/receipts`."""

    permission_classes = (AreCashiers,)

    @described(
        "cards_receive",
        "Take a range of prepaid cards that came into my point's stock: all of them, or none",
        tag=TAG,
        answers={201: MovedCards},
        body=RangeBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Take them once."""
        idempotency_key(request)
        cards, cashier = _range(read_body(request, RangeBody)), person_asking(request)
        once(request, lambda: receive_cards(cards=cards, cashier=cashier), "receive_cards", cards.subject)
        return Response(_moved(cards), status=201)


class CardStock(APIView):
    """`GET cards/stock`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "cards_stock",
        "Unsold prepaid cards at my point, or for staff at every point",
        tag=TAG,
        answers={200: Stock},
        query=StockQuery,
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request) -> Response:
        """Count them."""
        query = read_query(request, StockQuery)
        points = None
        if person_asking(request).role != Role.ORGANIZER:
            points = [till_asking(request).point_id]
        elif "point" in query:
            points = [point_named(query["point"]).pk]
        rows = unsold_at(points)
        return Response({"stock": [_line(row) for row in rows]})


def _range(told: dict[str, Any]) -> CardRange:
    return CardRange.typed(told["series"], told["first"], told["last"])


def _moved(cards: CardRange) -> dict[str, Any]:
    """Tell the range; cards are never deleted, so that it is told alike whenever it is asked for."""
    return {"series": cards.series, "first": cards.first, "last": cards.last, "quantity": cards.cards.count()}


def _line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "point": row["point__code"],
        "series": row["batch__series"],
        "face_value": plain_byn(row["batch__face_value"]),
        "state": row["state"],
        "quantity": row["quantity"],
        "first": row["first"],
        "last": row["last"],
    }
