"""Disputes over the API: a player's own, at a desk by ticket and code, and the staff's work on them (¶45)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.models import User
from accounts.permissions import AreDeskPeople, ArePlayers
from payouts.api.holders import CheckBody, guarded
from payouts.models import OPEN_DISPUTES, Dispute, DisputeKind, DisputeState
from payouts.queries.disputes import answer_due
from payouts.services.disputes import (
    answer,
    compare_ticket,
    consider,
    dispute_at_desk,
    dispute_by_letter,
    dispute_own_bet,
)
from payouts.services.evidence_pack import evidence_pack
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core.api.bodies import Amount, Body, Text, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal

TAG = "Disputes"
STAFF = "Staff: disputes"


class StoryBody(Body):
    """Which ticket, and what is wrong with it."""

    ticket = Text(max_length=60)
    story = Text(max_length=4_000)


class DeskStoryBody(CheckBody):
    """The ticket, its check code, and what is wrong with it."""

    story = Text(max_length=4_000)


class CompareBody(CheckBody):
    """The ticket, its check code, and what is printed on it."""

    selections = Text(max_length=20_000)
    stake = Amount()


class WordsBody(Body):
    """In words."""

    words = Text(max_length=4_000)


class AnswerBody(WordsBody):
    """What is answered."""

    upheld = serializers.BooleanField()


class DisputeDocument(serializers.Serializer[None]):
    """A dispute, without what was told in it."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    ticket = serializers.CharField()
    kind = serializers.ChoiceField(DisputeKind.choices)
    state = serializers.ChoiceField(DisputeState.choices)
    opened_at = Moment()
    due = Moment(allow_null=True, help_text="Null while the pool has no term for payment yet.")
    answer = serializers.CharField(allow_null=True)


class DisputeList(serializers.Serializer[None]):
    """My disputes, the newest first."""

    disputes = DisputeDocument(many=True)


class Compared(serializers.Serializer[None]):
    """Whether the ticket shows what is registered; if not, the number of the case, and nothing is paid meanwhile."""

    agrees = serializers.BooleanField()
    dispute = serializers.IntegerField(allow_null=True)


class DisputeQuery(PageQuery):
    """Which disputes: those that are not answered, unless told."""

    state = serializers.ChoiceField(DisputeState.choices, required=False)


class MyDisputes(APIView):
    """`me/disputes`."""

    permission_classes = (ArePlayers,)

    @described("me_disputes", "My disputes", tag=TAG, answers={200: DisputeList})
    def get(self, request: Request) -> Response:
        """List them."""
        mine = Dispute.objects.select_related("pool").filter(opened_by=person_asking(request)).order_by("-pk")
        return Response({"disputes": [_dispute(dispute) for dispute in mine]})

    @described(
        "me_dispute",
        "Dispute a bet of mine; nothing is paid on it until that is answered",
        tag=TAG,
        answers={201: DisputeDocument},
        body=StoryBody,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Open one."""
        told = read_body(request, StoryBody)
        return Response(_dispute(dispute_own_bet(**told, opened_by=person_asking(request))), status=201)


class DeskDisputes(APIView):
    """`POST tickets/disputes`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "ticket_dispute",
        "Take a dispute from who holds a ticket; nothing is paid on it until that is answered",
        tag=TAG,
        answers={201: DisputeDocument},
        body=DeskStoryBody,
        refused=(Refusal.WRONG_CODE, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Open one."""
        told = read_body(request, DeskStoryBody)
        staff = person_asking(request)
        opened = guarded(request, told["ticket"], lambda: dispute_at_desk(**told, opened_by=staff))
        return Response(_dispute(opened), status=201)


class TicketComparisons(APIView):
    """`POST tickets/comparisons`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "ticket_compare",
        "Compare what a ticket shows with the register; a difference holds it as a case (¶13)",
        tag=TAG,
        answers={200: Compared},
        body=CompareBody,
        refused=(Refusal.WRONG_CODE,),
    )
    def post(self, request: Request) -> Response:
        """Compare them."""
        told = read_body(request, CompareBody)
        staff = person_asking(request)
        case = guarded(request, told["ticket"], lambda: compare_ticket(**told, compared_by=staff))
        return Response({"agrees": case is None, "dispute": case.pk if case is not None else None})


def _dispute(dispute: Dispute) -> Written:
    last = dispute.steps.filter(state__in=(DisputeState.UPHELD, DisputeState.REJECTED)).first()
    return {
        "number": dispute.pk,
        "pool": dispute.pool.code,
        "ticket": dispute.ticket,
        "kind": dispute.kind,
        "state": dispute.state,
        "opened_at": instant(dispute.opened_at),
        "due": instant_or_none(answer_due(dispute)),
        "answer": last.words if last is not None else None,
    }


def _disputes(query: Told) -> QuerySet[Dispute]:
    states = [query["state"]] if "state" in query else OPEN_DISPUTES
    return Dispute.objects.select_related("pool").filter(state__in=states)


def _letter(staff: User, told: Told) -> Written:
    return _dispute(dispute_by_letter(**told, opened_by=staff))


def _consider(staff: User, told: Told, number: int) -> Written:
    return _dispute(consider(dispute=_numbered(number), **told, considered_by=staff))


def _answer(staff: User, told: Told, number: int) -> Written:
    return _dispute(answer(dispute=_numbered(number), **told, answered_by=staff))


def _numbered(number: int) -> Dispute:
    return found(Dispute.objects.select_related("pool"), pk=number)


def _pack(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    dispute = _numbered(number)
    bet = bet_with_ticket(dispute.ticket, dispute.pool.code)
    if bet is None:
        raise LookupError(f"dispute {number} is about no bet")
    return GivenFile(f"dispute-{number}.zip", evidence_pack(bet=bet, asked_by=staff))


_STAFF: dict[str, Any] = {"tag": STAFF}
DECLARED = (
    Listing(
        path="disputes",
        name="staff_disputes",
        summary="Disputes that are not answered, or those of another state",
        rows_name="disputes",
        row=DisputeDocument,
        rows=_disputes,
        write=_dispute,
        query=DisputeQuery,
        ordering=("opened_at", "pk"),
        **_STAFF,
    ),
    Act(
        path="disputes",
        name="staff_dispute",
        summary="Enter a dispute that came by letter",
        body=StoryBody,
        answer=DisputeDocument,
        do=_letter,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_STAFF,
    ),
    Act(
        path="disputes/<int:number>/consideration",
        name="staff_dispute_consider",
        summary="Take a dispute up",
        body=WordsBody,
        answer=DisputeDocument,
        do=_consider,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
        **_STAFF,
    ),
    Act(
        path="disputes/<int:number>/answer",
        name="staff_dispute_answer",
        summary="Answer a dispute that another person considered",
        body=AnswerBody,
        answer=DisputeDocument,
        do=_answer,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.SAME_PERSON),
        status=200,
        **_STAFF,
    ),
    Download(
        path="disputes/<int:number>/evidence",
        name="staff_dispute_evidence",
        summary="All that is known of the disputed bet, in one file that a stranger can check; who asks is journalled",
        media_types=("application/zip",),
        read=_pack,
        **_STAFF,
    ),
)
