"""Cash handed over: given by one person, counted and received by another (¶9.5, C3)."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import once, person_asking, till_asking
from accounts.models import Handover, HandoverState, Role, Route, Till
from accounts.permissions import AreDeskPeople
from accounts.services.handovers import announce_handover, receive_handover
from totalizator.core.api.bodies import Amount, Body, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn

TAG = "Cash on its way"
MOST_NUMBER = 2**31 - 1


class TillBody(Body):
    """A till, by its point's code and its number there."""

    point = Text(max_length=12)
    number = serializers.IntegerField(min_value=1, max_value=32767)


class GiveBody(Body):
    """What is given out of hands."""

    route = serializers.ChoiceField(Route.choices)
    amount = Amount(help_text="As the giver counted it.")
    till = TillBody(required=False, help_text="That receives from the cash desk; a cashier gives from the own.")
    document = Text(required=False, max_length=60, help_text="The bank's, needed where one end is the bank.")


class ReceiveBody(Body):
    """What arrived."""

    counted = Amount()
    reason = Text(required=False, allow_blank=True, max_length=500, help_text="Of a difference: needed then.")


class HandoverQuery(PageQuery):
    """Which of them."""

    state = serializers.ChoiceField(HandoverState.choices, required=False)


class HandoverDocument(serializers.Serializer[None]):
    """A handover; what is not known before it is received is null."""

    number = serializers.IntegerField()
    route = serializers.ChoiceField(Route.choices)
    till = serializers.CharField(allow_null=True, help_text="`P1/2`, where one end is a point.")
    amount = Byn()
    document = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(HandoverState.choices)
    given_by = serializers.CharField()
    given_at = Moment()
    received_by = serializers.CharField(allow_null=True)
    received_at = Moment(allow_null=True)
    counted = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)


class HandoverPage(serializers.Serializer[None]):
    """A page of them, the newest first."""

    handovers = HandoverDocument(many=True)
    next = serializers.URLField(allow_null=True)


class Handovers(APIView):
    """`handovers`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "handovers",
        "Handovers of my till, or for staff all",
        tag=TAG,
        answers={200: HandoverPage},
        query=HandoverQuery,
    )
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query = read_query(request, HandoverQuery)
        rows = _seen_by(request)
        if "state" in query:
            rows = rows.filter(state=query["state"])
        return page_of(request, rows, "handovers", _written, query=query, ordering=("-number",))

    @described(
        "handover_give",
        "Give cash out of hands: from now on it is on its way",
        tag=TAG,
        answers={201: HandoverDocument},
        body=GiveBody,
        keyed=True,
        refused=(Refusal.NOT_FOUND, Refusal.NO_OPEN_SHIFT, Refusal.INSUFFICIENT_FUNDS),
        about="A cashier gives from the own till to the cash desk; the organizer's staff give everything else.",
    )
    def post(self, request: Request) -> Response:
        """Give it once."""
        key, wish = idempotency_key(request), read_body(request, GiveBody)
        handover = announce_handover(
            route=Route(wish["route"]),
            amount=wish["amount"],
            given_by=person_asking(request),
            till=_till(request, wish),
            document=wish.get("document", ""),
            idempotency_key=key,
        )
        return Response(_document(handover), status=201)


class HandoverReceipts(APIView):
    """`POST handovers/{number}/receipt`."""

    permission_classes = (AreDeskPeople,)

    @described(
        "handover_receive",
        "Take over what arrived, counted anew by another person",
        tag=TAG,
        answers={200: HandoverDocument},
        body=ReceiveBody,
        keyed=True,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.SAME_PERSON,
            Refusal.NO_OPEN_SHIFT,
            Refusal.WRONG_STATE,
            Refusal.CASH_LIMIT,
        ),
        about="A difference is posted with its reason.",
    )
    def post(self, request: Request, number: int) -> Response:
        """Receive it once."""
        idempotency_key(request)
        wish, receiver = read_body(request, ReceiveBody), person_asking(request)
        handover = _seen_by(request).filter(number=number).first() if number <= MOST_NUMBER else None
        if handover is None:
            raise DomainError(Refusal.NOT_FOUND, _("There is no such handover."))
        counted, reason = wish["counted"], wish.get("reason", "")

        def act() -> None:
            receive_handover(handover=handover, counted=counted, received_by=receiver, reason=reason)

        once(request, act, "receive_handover", number, counted, reason)
        return Response(_document(_seen_by(request).get(number=number)))


def _seen_by(request: Request) -> QuerySet[Handover]:
    """Return the handovers that who asks may know of."""
    person = person_asking(request)
    rows = Handover.objects.select_related("till__point", "till__ledger_account", "given_by", "received_by")
    if person.role == Role.ORGANIZER:
        return rows
    return rows.filter(Q(till__cashier=person) | Q(given_by=person) | Q(received_by=person))


def _till(request: Request, wish: dict[str, Any]) -> Till | None:
    """Return the till at the point's end: the cashier's own, or the one that staff name."""
    named = wish.get("till")
    if named is None:
        return till_asking(request) if wish["route"] == Route.POINT_TO_DESK else None
    tills = Till.objects.select_related("point", "ledger_account")
    till = tills.filter(point__code=named["point"], number=named["number"]).first()
    if till is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such till."), field="till")
    return till


def _written(handovers: list[Handover]) -> list[dict[str, Any]]:
    return [_document(handover) for handover in handovers]


def _document(handover: Handover) -> dict[str, Any]:
    return {
        "number": handover.number,
        "route": handover.route,
        "till": str(handover.till) if handover.till is not None else None,
        "amount": plain_byn(handover.amount),
        "document": handover.document,
        "state": handover.state,
        "given_by": handover.given_by.username,
        "given_at": instant(handover.announced_at),
        "received_by": handover.received_by.username if handover.received_by is not None else None,
        "received_at": instant_or_none(handover.received_at),
        "counted": plain_byn(handover.counted) if handover.counted is not None else None,
        "reason": handover.reason,
    }
