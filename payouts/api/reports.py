"""Reports for the organizer's staff and the regulator, in each form (N1-N6)."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import AreInspectors
from payouts.documents.reports import MEDIA_TYPES
from payouts.services.reports import REPORTS, make_report, write_report
from totalizator.core.api.bodies import Body, Day, Text, read_query
from totalizator.core.api.described import described
from totalizator.core.errors import Refusal

TAG = "Reports and inspection"
BYTES = {"type": "string", "format": "binary"}


class ReportQuery(Body):
    """Which days, both included, in which form, and what it is limited to."""

    first = Day()
    last = Day()
    form = serializers.ChoiceField(sorted(MEDIA_TYPES), default="json")
    game = Text(required=False, max_length=20)
    pool = Text(required=False, max_length=20)
    point = Text(required=False, max_length=12)
    channel = Text(required=False, max_length=10)


class ReportDocument(serializers.Serializer[None]):
    """A report that can be asked for."""

    name = serializers.CharField()
    title = serializers.CharField()
    filters = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.CharField())


class ReportList(serializers.Serializer[None]):
    """All of them."""

    reports = ReportDocument(many=True)


class Reports(APIView):
    """`GET reports`."""

    permission_classes = (AreInspectors,)

    @described("reports", "Which reports there are", tag=TAG, answers={200: ReportList})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        return Response({"reports": [_named(name) for name in REPORTS]})


class OneReport(APIView):
    """`GET reports/{name}`."""

    permission_classes = (AreInspectors,)

    @described(
        "report",
        "A report of some legal days",
        tag=TAG,
        answers={(200, kind): BYTES for kind in MEDIA_TYPES.values()},
        query=ReportQuery,
        refused=(Refusal.NOT_FOUND,),
        about="Each figure ties to the ledger. Of one year at most; the list tells what each can be limited to.",
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        """Send it."""
        asked = read_query(request, ReportQuery)
        first, last, form = asked.pop("first"), asked.pop("last"), asked.pop("form")
        content = write_report(make_report(name, first, last, asked), form)
        answer = HttpResponse(content, content_type=MEDIA_TYPES[form])
        answer["Content-Disposition"] = f'attachment; filename="{name}-{first}-{last}.{form}"'
        answer["X-Content-Type-Options"] = "nosniff"
        return answer


def _named(name: str) -> dict[str, Any]:
    kind = REPORTS[name]
    columns = [column.name for column in kind.columns]
    return {"name": name, "title": str(kind.title), "filters": list(kind.filters), "columns": columns}
