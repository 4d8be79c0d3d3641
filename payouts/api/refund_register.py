"""The register of a pool's refunds, for the organizer's staff and the regulator, as JSON and as a table (L1)."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import AreInspectors
from payouts.documents.refund_register import register_csv, register_document
from payouts.models import PaymentMethod
from payouts.queries.refunds import RefundReason, RefundState, RefundWay
from payouts.services.refund_registers import make_refund_register
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment
from totalizator.core.errors import Refusal

TAG = "Reports and inspection"


class RefundFigure(serializers.Serializer[None]):
    """One sum, counted twice: by the ledger, and by the rows below."""

    name = serializers.CharField()
    ledger = Byn()
    stated = Byn()


class RefundSums(serializers.Serializer[None]):
    """How many stakes go back, their sum, and how much of it stands where."""

    tickets = serializers.IntegerField()
    amount = Byn()
    decided = Byn()
    due = Byn()
    overdue = Byn()
    paid = Byn()
    lapsed = Byn()
    revoked = Byn()


class RefundChannel(RefundSums):
    """The sums of one channel."""

    channel = serializers.ChoiceField(RefundWay.choices)


class RefundDocument(serializers.Serializer[None]):
    """One stake that goes back."""

    ticket = serializers.CharField()
    channel = serializers.ChoiceField(RefundWay.choices)
    why = serializers.ChoiceField(RefundReason.choices)
    amount = Byn()
    due_from = Moment()
    deadline = Moment(help_text="Not paid from then on: overdue.")
    state = serializers.ChoiceField(RefundState.choices)
    method = serializers.ChoiceField(PaymentMethod.choices, allow_null=True)
    settled_at = Moment(allow_null=True, help_text="When it was paid, or went to the jackpot.")


class RefundRegisterDocument(serializers.Serializer[None]):
    """Every stake of a pool that goes back; `holds`: the ledger says of every sum what the rows say."""

    pool = serializers.CharField()
    at = Moment()
    holds = serializers.BooleanField()
    figures = RefundFigure(many=True)
    channels = RefundChannel(many=True)
    total = RefundSums()
    refunds = RefundDocument(many=True)


class RefundRegisterOfPool(APIView):
    """`GET reports/refunds/{code}`."""

    permission_classes = (AreInspectors,)

    @described(
        "refund_register",
        "Every stake of a pool that goes back, by its channel, and where it stands",
        tag=TAG,
        answers={200: RefundRegisterDocument},
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show it."""
        return Response(register_document(make_refund_register(code)))


class RefundTable(APIView):
    """`GET reports/refunds/{code}.csv`."""

    permission_classes = (AreInspectors,)

    @described(
        "refund_table",
        "The register of a pool's refunds as a table for spreadsheets",
        tag=TAG,
        answers={(200, "text/csv"): {"type": "string"}},
        refused=(Refusal.NOT_FOUND,),
    )
    def get(self, request: Request, code: str) -> HttpResponse:  # noqa: ARG002
        """Send it."""
        answer = HttpResponse(register_csv(make_refund_register(code)), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="refunds-{code}.csv"'
        answer["X-Content-Type-Options"] = "nosniff"
        return answer
