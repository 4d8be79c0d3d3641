"""What becomes of refunds that nobody collected in the limitation term: two of the staff decide (D-12)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import User
from payouts.models import RefundLapse, RefundLapseProposal
from payouts.services.refund_lapses import approve_refund_lapse, propose_refund_lapse
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: refunds"


class LapseBody(Body):
    """The paper by which it is decided."""

    document = Text(max_length=200)


class LapseProposalDocument(serializers.Serializer[None]):
    """Refunds of a pool that nobody collected, proposed for the jackpot."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    document = serializers.CharField()
    tickets = serializers.IntegerField()
    amount = Byn()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved = serializers.BooleanField()


class LapseDocument(serializers.Serializer[None]):
    """What went to the jackpot: all that was proposed and not collected meanwhile."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    tickets = serializers.IntegerField()
    amount = Byn()
    approved_at = Moment()


def _proposals(query: Told) -> QuerySet[RefundLapseProposal]:  # noqa: ARG001
    return RefundLapseProposal.objects.select_related("pool", "proposed_by", "decision")


def _proposal(proposal: RefundLapseProposal) -> Written:
    return {
        "number": proposal.pk,
        "pool": proposal.pool.code,
        "document": proposal.document,
        "tickets": proposal.tickets,
        "amount": plain_byn(proposal.amount),
        "proposed_by": proposal.proposed_by.get_username(),
        "proposed_at": instant(proposal.proposed_at),
        "approved": hasattr(proposal, "decision"),
    }


def _lapse(lapse: RefundLapse) -> Written:
    return {
        "number": lapse.proposal_id,
        "pool": lapse.proposal.pool.code,
        "tickets": lapse.tickets,
        "amount": plain_byn(lapse.amount),
        "approved_at": instant(lapse.approved_at),
    }


def _propose(staff: User, told: Told, code: str) -> Written:
    return _proposal(propose_refund_lapse(code=code, **told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(_proposals({}), pk=number)
    return _lapse(approve_refund_lapse(proposal=proposal, approved_by=staff))


_STAFF: dict[str, Any] = {"tag": TAG}
DECLARED = (
    Listing(
        path="refund-lapse-proposals",
        name="staff_refund_lapses",
        summary="Refunds nobody collected in the limitation term that were proposed for the jackpot, the newest first",
        rows_name="proposals",
        row=LapseProposalDocument,
        rows=_proposals,
        write=_proposal,
        **_STAFF,
    ),
    Act(
        path="pools/<label:code>/refund-lapse-proposals",
        name="staff_refund_lapse_propose",
        summary="Propose that refunds nobody collected in the limitation term go to the jackpot (D-12)",
        body=LapseBody,
        answer=LapseProposalDocument,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_STAFF,
    ),
    Act(
        path="refund-lapse-proposals/<int:number>/approval",
        name="staff_refund_lapse_approve",
        summary="Move them to the jackpot, as another person proposed",
        body=NothingBody,
        answer=LapseDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE, Refusal.BEING_CORRECTED),
        status=200,
        **_STAFF,
    ),
)
