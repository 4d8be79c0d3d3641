"""Change records: one of the staff proposes to put code in service, another approves it (R4)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import ReleaseChange, User
from accounts.services.release_changes import approve_change, propose_change
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: the system"


class ChangeBody(Body):
    """Which code, by its digest; what changes and who was told; which tests passed."""

    code = Text(max_length=71)
    notice = Text(max_length=4_000)
    evidence = Text(max_length=4_000)


class ChangeRecord(serializers.Serializer[None]):
    """A change record. Approved, it lets one release of exactly this code be registered."""

    number = serializers.IntegerField()
    code = serializers.CharField()
    notice = serializers.CharField()
    evidence = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved_by = serializers.CharField(allow_blank=True)
    approved_at = Moment(allow_null=True)


def _changes() -> QuerySet[ReleaseChange]:
    return ReleaseChange.objects.select_related("proposed_by", "approval__approved_by")


def _propose(staff: User, told: Told) -> Written:
    return _written(propose_change(**told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    approve_change(number=number, approved_by=staff)
    return _written(found(_changes(), pk=number))


def _written(change: ReleaseChange) -> Written:
    approval = getattr(change, "approval", None)
    return {
        "number": change.pk,
        "code": change.code,
        "notice": change.notice,
        "evidence": change.evidence,
        "proposed_by": change.proposed_by.username,
        "proposed_at": instant(change.proposed_at),
        "approved_by": approval.approved_by.username if approval is not None else "",
        "approved_at": instant_or_none(approval.approved_at if approval is not None else None),
    }


DECLARED = (
    Listing(
        path="release-changes",
        name="staff_release_changes",
        summary="Change records, the latest first",
        tag=TAG,
        rows_name="changes",
        row=ChangeRecord,
        rows=lambda _query: _changes(),
        write=_written,
    ),
    Act(
        path="release-changes",
        name="staff_release_change_propose",
        summary="Propose to put code in service",
        tag=TAG,
        body=ChangeBody,
        answer=ChangeRecord,
        do=_propose,
    ),
    Act(
        path="release-changes/<int:number>/approval",
        name="staff_release_change_approve",
        summary="Approve a change record, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ChangeRecord,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
)
