"""Self-exclusions that the keeper of the register has to be told of (P2)."""

from datetime import timedelta

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found
from accounts.models import Exclusion, User
from accounts.queries.exclusions import exclusions_to_forward
from accounts.services.exclusion import note_forwarded
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.legal import legal_numbers

TAG = "Staff: players"


class ForwardedBody(Body):
    """The reference of the message or letter."""

    reference = Text(max_length=200)


class ExclusionDocument(serializers.Serializer[None]):
    """An application that has to be sent on; who it is, its form says."""

    number = serializers.IntegerField()
    begins_at = Moment()
    ends_at = Moment(help_text="Exclusive.")
    due_at = Moment(help_text="By then it has to be sent on.")


class ForwardedDocument(serializers.Serializer[None]):
    """An application that was sent on."""

    number = serializers.IntegerField()
    reference = serializers.CharField()
    forwarded_by = serializers.CharField()
    forwarded_at = Moment()


def _note(staff: User, told: Told, number: int) -> Written:
    exclusion = found(Exclusion.objects.select_related("person"), pk=number)
    forwarded = note_forwarded(exclusion=exclusion, reference=told["reference"], forwarded_by=staff)
    return {
        "number": exclusion.pk,
        "reference": forwarded.reference,
        "forwarded_by": forwarded.forwarded_by.username,
        "forwarded_at": instant(forwarded.forwarded_at),
    }


def _written(exclusion: Exclusion) -> Written:
    hours = int(legal_numbers(exclusion.begins_at)["exclusion_forward_hours"])
    return {
        "number": exclusion.pk,
        "begins_at": instant(exclusion.begins_at),
        "ends_at": instant(exclusion.ends_at),
        "due_at": instant(exclusion.begins_at + timedelta(hours=hours)),
    }


DECLARED = (
    Listing(
        path="exclusions",
        name="staff_exclusions",
        summary="Self-exclusions that were not sent on yet, the oldest first",
        tag=TAG,
        rows_name="exclusions",
        row=ExclusionDocument,
        rows=lambda _query: exclusions_to_forward(),
        write=_written,
        ordering=("begins_at", "pk"),
    ),
    Act(
        path="exclusions/<int:number>/forwarding",
        name="staff_exclusion_forward",
        summary="Note that an application was sent on; noted again, the first is told",
        tag=TAG,
        body=ForwardedBody,
        answer=ForwardedDocument,
        do=_note,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
)
