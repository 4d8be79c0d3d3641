"""Whether who stands before a desk may play: one answer, and nothing kept of the person (C9)."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.persons import PersonBody
from accounts.models import DeskResult
from accounts.permissions import AreAtDesks
from accounts.services.desk_checks import check_person_at_desk
from totalizator.core.api.bodies import read_body
from totalizator.core.api.described import described


class DeskCheckDocument(serializers.Serializer[None]):
    """The answer; why somebody may not play is not said."""

    result = serializers.ChoiceField(DeskResult.choices)


class DeskChecks(APIView):
    """`POST desk-checks`."""

    permission_classes = (AreAtDesks,)

    @described(
        "desk_check",
        "Ask whether who shows this document may bet or buy a card",
        tag="Desks",
        answers={200: DeskCheckDocument},
        body=PersonBody,
        about="Only the answer, who asked and when are kept.",
    )
    def post(self, request: Request) -> Response:
        """Answer, and keep that it was asked."""
        told = read_body(request, PersonBody)
        result = check_person_at_desk(**told, checked_by=person_asking(request))
        return Response({"result": str(result)})
