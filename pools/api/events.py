"""The outbox over the API: what subscribers fetch, and who they are (U1; docs/events.md)."""

from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import AreStaff
from pools.services.subscribers import (
    approve_stop,
    approve_subscriber,
    propose_stop,
    propose_subscriber,
    subscriber_of,
)
from totalizator.core.api.bodies import Body, Text, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, PublicFile, instant_or_none
from totalizator.core.errors import Refusal
from totalizator.core.models import Subscriber, SubscriberState
from totalizator.core.outbox_delivery import MOST_EVENTS, batch_after
from totalizator.core.outbox_kinds import EventKind

TAG = "Events"
MOST_SEQUENCE = 2**63 - 1


class SubscriberToken(BaseAuthentication):
    """`Authorization: Bearer evt_…`: a subscriber that two people let be told."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Subscriber] | None:
        """Return the subscriber; None for a request without a token; :raises AuthenticationFailed: for another."""
        scheme, _space, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        subscriber = subscriber_of(text.strip())
        if subscriber is None:
            raise AuthenticationFailed
        return AnonymousUser(), subscriber

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Name the way in."""
        return "Bearer"


class SubscriberScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Tell the schema of subscribers' tokens."""

    target_class = SubscriberToken
    name = "subscriber"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:  # noqa: ARG002
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer", "description": "The token of a subscriber, `evt_…`."}


class AreSubscribers(BasePermission):
    """For subscribers alone."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        """Tell whether one asks."""
        return isinstance(request.auth, Subscriber)


class EventsQuery(Body):
    """From where."""

    after = serializers.IntegerField(min_value=0, max_value=MOST_SEQUENCE, help_text="The last number that you have.")
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_EVENTS, required=False, help_text=f"{MOST_EVENTS} unless told."
    )


class EventDocument(serializers.Serializer[None]):
    """One event."""

    sequence = serializers.IntegerField(help_text="Its number: from 1, without a gap.")
    kind = serializers.ChoiceField(EventKind.choices)
    subject = serializers.CharField()
    at = Moment()
    payload = PublicFile(help_text="By kind: docs/events.md. Amounts are in kopecks.")
    chain = serializers.CharField(help_text="Digest of this event and of the chain before it.")


class EventBatch(serializers.Serializer[None]):
    """What follows `after`; go on after `through`."""

    after = serializers.IntegerField()
    through = serializers.IntegerField()
    events = EventDocument(many=True)


class SubscriberBody(Body):
    """Who is to be told of what."""

    name = Text(max_length=60)
    url = Text(max_length=500)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(EventKind.choices), required=False, max_length=50, help_text="None: all."
    )
    mandatory = serializers.BooleanField(required=False, help_text="Sales stop when it cannot be told for too long.")
    after = serializers.IntegerField(required=False, min_value=0, max_value=MOST_SEQUENCE)


class StopReasonBody(Body):
    """Why."""

    reason = Text(max_length=200)


class SubscriberDocument(serializers.Serializer[None]):
    """A subscriber, and how far it is."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    url = serializers.CharField()
    kinds = serializers.ListField(child=serializers.CharField())
    mandatory = serializers.BooleanField()
    state = serializers.ChoiceField(SubscriberState.choices)
    delivered = serializers.IntegerField()
    failures = serializers.IntegerField()
    next_try_at = Moment(allow_null=True)
    last_failure = serializers.CharField(allow_blank=True)


class NewSubscriberDocument(SubscriberDocument):
    """A subscriber just proposed; its secret and token are shown this once."""

    secret = serializers.CharField()
    token = serializers.CharField()


class SubscriberList(serializers.Serializer[None]):
    """All of them."""

    subscribers = SubscriberDocument(many=True)


class Events(APIView):
    """`GET events`."""

    authentication_classes = (SubscriberToken,)
    permission_classes = (AreSubscribers,)

    @described("events", "What happened, in order", tag=TAG, answers={200: EventBatch}, query=EventsQuery)
    def get(self, request: Request) -> Response:
        """Send what follows; nothing is moved on by it."""
        query = read_query(request, EventsQuery)
        subscriber = cast(Subscriber, request.auth)
        return Response(batch_after(subscriber, query["after"], most=query.get("limit", MOST_EVENTS)).document())


class Subscribers(APIView):
    """`events/subscribers`."""

    permission_classes = (AreStaff,)

    @described("subscribers", "Who is told of events", tag=TAG, answers={200: SubscriberList})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """List them."""
        return Response({"subscribers": [_written(each) for each in Subscriber.objects.order_by("pk")]})

    @described(
        "subscriber_propose",
        "Propose to tell somebody of events",
        tag=TAG,
        answers={201: NewSubscriberDocument},
        body=SubscriberBody,
    )
    def post(self, request: Request) -> Response:
        """Propose one."""
        told = read_body(request, SubscriberBody)
        required = told.pop("mandatory", False)
        new = propose_subscriber(**told, required=required, proposed_by=person_asking(request))
        return Response(_written(new.subscriber) | {"secret": new.secret, "token": new.token}, status=201)


class SubscriberApprovals(APIView):
    """`POST events/subscribers/{number}/approval`."""

    permission_classes = (AreStaff,)

    @described(
        "subscriber_approve",
        "Begin to tell a subscriber that another person proposed",
        tag=TAG,
        answers={200: SubscriberDocument},
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Approve it."""
        return Response(_written(approve_subscriber(number=number, approved_by=person_asking(request))))


class SubscriberStops(APIView):
    """`POST events/subscribers/{number}/stop`."""

    permission_classes = (AreStaff,)

    @described(
        "subscriber_stop",
        "Withdraw a proposal, or propose to stop telling a subscriber",
        tag=TAG,
        answers={200: SubscriberDocument},
        body=StopReasonBody,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Propose it."""
        told = read_body(request, StopReasonBody)
        return Response(
            _written(propose_stop(number=number, reason=told["reason"], proposed_by=person_asking(request)))
        )


class SubscriberStopApprovals(APIView):
    """`POST events/subscribers/{number}/stop/approval`."""

    permission_classes = (AreStaff,)

    @described(
        "subscriber_stop_approve",
        "Stop telling a subscriber, as another person proposed",
        tag=TAG,
        answers={200: SubscriberDocument},
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
    )
    def post(self, request: Request, number: int) -> Response:
        """Approve it."""
        return Response(_written(approve_stop(number=number, approved_by=person_asking(request))))


def _written(subscriber: Subscriber) -> dict[str, Any]:
    return {
        "number": subscriber.pk,
        "name": subscriber.name,
        "url": subscriber.url,
        "kinds": subscriber.kinds,
        "mandatory": subscriber.required,
        "state": subscriber.state,
        "delivered": subscriber.delivered,
        "failures": subscriber.failures,
        "next_try_at": instant_or_none(subscriber.next_try_at),
        "last_failure": subscriber.last_failure,
    }
