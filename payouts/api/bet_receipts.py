"""A bet's receipt over the API, for who holds the ticket (X2)."""

from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from payouts.api.holders import CheckBody, for_holder
from payouts.queries import find_ticket
from pools.api.public_log import InclusionDocument
from pools.services.bet_receipts import receipt_of
from totalizator.core.api.described import described
from totalizator.core.api.documents import PublicFile
from totalizator.core.errors import Refusal


class ReceiptDocument(serializers.Serializer[None]):
    """What `verify-receipt` reads. Before closing it has no index, path, root, commitment and log."""

    format = serializers.IntegerField()
    pool = serializers.CharField()
    bet = serializers.CharField(help_text="The bet's line of bets.csv.")
    index = serializers.IntegerField(required=False, help_text="Its place among the bets, from 0.")
    path = serializers.ListField(child=serializers.CharField(), required=False)
    root = serializers.CharField(required=False)  # type: ignore[assignment]  # `root` is a property of every field
    commitment = PublicFile(required=False, help_text="commitment.json, which has the root; signed.")
    log = InclusionDocument(required=False)
    signatures = serializers.ListField(child=serializers.DictField())


class TicketReceipts(APIView):
    """`POST tickets/receipt`: a POST, as `tickets/check` is."""

    permission_classes = (AllowAny,)

    @described(
        "ticket_receipt",
        "A receipt that proves off line that the bet was taken and is among the committed ones",
        tag="Tickets",
        answers={200: ReceiptDocument},
        body=CheckBody,
        refused=(Refusal.WRONG_CODE,),
        about="Keep it as it is and check it with `python -m totalizator.engine verify-receipt FILE --keys keys.json`.",
    )
    def post(self, request: Request) -> Response:
        """Show the receipt."""
        return for_holder(request, lambda ticket, code: Response(receipt_of(find_ticket(ticket, code))))
