"""Significant events: the staff see what waits for them, and say what was done (N4)."""

from rest_framework import serializers

from accounts.api.staff.acts import Act, Told, Written
from accounts.models import User
from payouts.queries.reports.significant import SignificantEvent
from payouts.services.significant_events import acknowledge_event
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Reports and inspection"


class SeenBody(Body):
    """Which event, by its key in the report `events`, and what was done about it."""

    key = Text(max_length=120)
    words = Text(max_length=2000)


class SignificantEventDocument(serializers.Serializer[None]):
    """A significant event, and who saw to it."""

    key = serializers.CharField()
    at = Moment()
    what = serializers.CharField()
    subject = serializers.CharField()
    due = Moment()
    seen_by = serializers.CharField(allow_blank=True)
    seen_at = Moment(allow_null=True)
    words = serializers.CharField(allow_blank=True)


def _acknowledge(staff: User, told: Told) -> Written:
    return _written(acknowledge_event(key=told["key"], words=told["words"], acknowledged_by=staff))


def _written(event: SignificantEvent) -> Written:
    return {
        "key": event.key,
        "at": instant(event.at),
        "what": event.title,
        "subject": event.subject,
        "due": instant(event.due),
        "seen_by": event.seen_by,
        "seen_at": instant_or_none(event.seen_at),
        "words": event.words,
    }


DECLARED = (
    Act(
        path="significant-events/acknowledgements",
        name="staff_event_acknowledge",
        summary="Say what was done about a significant event",
        tag=TAG,
        body=SeenBody,
        answer=SignificantEventDocument,
        do=_acknowledge,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
)
