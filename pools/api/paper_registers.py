"""Paper forms issued to points with their numbers, and the numbers that were passed over (¶9.10, C8)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking, point_named, till_asking
from accounts.models import Role
from accounts.permissions import AreDeskPeople
from pools.models import PaperRegister
from pools.queries.paper import missing_forms
from pools.services.paper_registers import issue_register
from totalizator.core.api.bodies import Body, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal

TAG = "Bets on paper"
GAMES = ("sportloto", "totolot")
MOST_NUMBER = 2**63 - 1


class RegisterBody(Body):
    """Forms with consecutive numbers, and the point that they go to."""

    point = Text(max_length=12)
    game = serializers.ChoiceField(GAMES)
    first = serializers.IntegerField(min_value=1, max_value=MOST_NUMBER - 100_000)
    last = serializers.IntegerField(min_value=1, max_value=MOST_NUMBER)


class Gap(serializers.Serializer[None]):
    """Numbers that were passed over, both included."""

    first = serializers.IntegerField()
    last = serializers.IntegerField()


class RegisterDocument(serializers.Serializer[None]):
    """Forms issued to a point."""

    point = serializers.CharField()
    game = serializers.ChoiceField(GAMES)
    first = serializers.IntegerField()
    last = serializers.IntegerField()
    issued_at = Moment()
    gaps = Gap(many=True, help_text="Below the highest number entered.")


class RegisterPage(serializers.Serializer[None]):
    """A page of them, the newest first."""

    registers = RegisterDocument(many=True)
    next = serializers.URLField(allow_null=True)


class PaperRegisters(APIView):
    """`paper/registers`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "paper_registers",
        "Paper forms issued to my point, or for staff to all, with the numbers passed over",
        tag=TAG,
        answers={200: RegisterPage},
        query=PageQuery,
    )
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query = read_query(request, PageQuery)
        registers = PaperRegister.objects.select_related("point")
        if person_asking(request).role != Role.ORGANIZER:
            registers = registers.filter(point=till_asking(request).point)
        return page_of(request, registers, "registers", _written, query=query, ordering=("-issued_at", "-pk"))

    @described(
        "paper_register_issue",
        "Issue pre-numbered paper forms to a point; for the organizer's staff",
        tag=TAG,
        answers={201: RegisterDocument},
        body=RegisterBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND,),
    )
    def post(self, request: Request) -> Response:
        """Issue them once."""
        idempotency_key(request)
        wish, staff = read_body(request, RegisterBody), person_asking(request)
        point, game, first, last = point_named(wish["point"]), wish["game"], wish["first"], wish["last"]

        def act() -> None:
            issue_register(point=point, game=game, first=first, last=last, issued_by=staff)

        once(request, act, "issue_register", point.pk, game, first, last)
        return Response(_document(PaperRegister.objects.select_related("point").get(first=first)), status=201)


def _written(registers: list[PaperRegister]) -> list[dict[str, Any]]:
    return [_document(register) for register in registers]


def _document(register: PaperRegister) -> dict[str, Any]:
    return {
        "point": register.point.code,
        "game": register.jackpot,
        "first": register.first,
        "last": register.last,
        "issued_at": instant(register.issued_at),
        "gaps": [{"first": first, "last": last} for first, last in missing_forms(register)],
    }
