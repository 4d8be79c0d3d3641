"""Giving up a correcting protocol that nobody seals, so that paying goes on (H5)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import User
from pools.models import AbandonedCorrection, AbandonmentProposal
from pools.services.abandoning import approve_abandonment, propose_abandonment
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Staff: corrections"


class AbandonmentBody(Body):
    """Why it should be given up."""

    reason = Text(max_length=500)


class AbandonmentDocument(serializers.Serializer[None]):
    """A correcting protocol that is proposed to be given up."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    version = serializers.IntegerField(help_text="Of the protocol.")
    reason = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved = serializers.BooleanField()


class AbandonedDocument(serializers.Serializer[None]):
    """A correcting protocol that is given up."""

    pool = serializers.CharField()
    version = serializers.IntegerField()
    abandoned_at = Moment()
    document = serializers.CharField(help_text="The text whose digest the public log has under the protocol's number.")


def _proposals() -> QuerySet[AbandonmentProposal]:
    return AbandonmentProposal.objects.select_related("pool", "proposed_by", "decision")


def _propose(staff: User, told: Told, code: str) -> Written:
    return _proposal(propose_abandonment(code=code, reason=told["reason"], proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _abandoned(approve_abandonment(proposal=found(_proposals(), pk=number), approved_by=staff))


def _proposal(proposal: AbandonmentProposal) -> Written:
    return {
        "number": proposal.pk,
        "pool": proposal.pool.code,
        "version": proposal.version,
        "reason": proposal.reason,
        "proposed_by": proposal.proposed_by.get_username(),
        "proposed_at": instant(proposal.proposed_at),
        "approved": hasattr(proposal, "decision"),
    }


def _abandoned(row: AbandonedCorrection) -> Written:
    return {
        "pool": row.pool.code,
        "version": row.version,
        "abandoned_at": instant(row.abandoned_at),
        "document": row.document_text,
    }


DECLARED = (
    Listing(
        path="abandonments",
        name="staff_abandonments",
        summary="Correcting protocols that were proposed to be given up, the newest first",
        tag=TAG,
        rows_name="abandonments",
        row=AbandonmentDocument,
        rows=lambda query: _proposals(),  # noqa: ARG005
        write=_proposal,
    ),
    Act(
        path="pools/<label:code>/abandonments",
        name="staff_abandonment_propose",
        summary="Propose to give up the correcting protocol that is being signed (H5)",
        tag=TAG,
        body=AbandonmentBody,
        answer=AbandonmentDocument,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="abandonments/<int:number>/approval",
        name="staff_abandonment_approve",
        summary="Give it up as another person proposed; what the settlement owes is paid again",
        tag=TAG,
        body=NothingBody,
        answer=AbandonedDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
)
