"""How a withdrawal ended of which the payment system tells nothing: two people say (F2)."""

from typing import Any

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.api.staff.withdrawals import StaffWithdrawal, all_withdrawals, withdrawal_document
from accounts.models import User, WithdrawalProposal
from accounts.services.withdrawal_decisions import approve_end, propose_end
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal

TAG = "Staff: withdrawals"


class EndBody(Body):
    """How it ended, and by which document of the payment system."""

    paid = serializers.BooleanField()
    document = Text(max_length=200)


class EndProposal(serializers.Serializer[None]):
    """What waits for another person."""

    number = serializers.IntegerField()
    withdrawal = serializers.IntegerField()
    paid = serializers.BooleanField()
    document = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()


def _propose(staff: User, told: Told, number: int) -> Written:
    return _proposal(propose_end(withdrawal=found(all_withdrawals(), pk=number), **told, proposed_by=staff))


def _approve_end(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_end(proposal=found(WithdrawalProposal.objects.all(), pk=number), approved_by=staff)


def _shown_ended(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return withdrawal_document(
        found(all_withdrawals(), pk=found(WithdrawalProposal.objects.all(), pk=number).withdrawal_id)
    )


def _proposal(proposal: WithdrawalProposal) -> Written:
    return {
        "number": proposal.pk,
        "withdrawal": proposal.withdrawal_id,
        "paid": proposal.paid,
        "document": proposal.document,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
    }


_OF_ONE: dict[str, Any] = {"tag": TAG, "answer": StaffWithdrawal, "status": 200}
_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="withdrawal-ends",
        name="staff_withdrawal_ends",
        summary="Proposals how a withdrawal ended that nobody has approved; of a withdrawal only the latest counts",
        tag=TAG,
        rows_name="proposals",
        row=EndProposal,
        rows=lambda _query: WithdrawalProposal.objects.filter(decision__isnull=True).select_related("proposed_by"),
        write=_proposal,
    ),
    Act(
        path="withdrawals/<int:number>/end",
        name="staff_withdrawal_end_propose",
        summary="Propose that a withdrawal of which the payment system tells nothing was paid, or was not",
        tag=TAG,
        body=EndBody,
        answer=EndProposal,
        do=_propose,
        refused=_UNFIT,
    ),
    Act(
        path="withdrawal-ends/<int:number>/approval",
        name="staff_withdrawal_end_approve",
        summary="Carry out the latest such proposal, by another person",
        body=NothingBody,
        do=_approve_end,
        shown=_shown_ended,
        refused=(*_UNFIT, Refusal.SAME_PERSON),
        **_OF_ONE,
    ),
)
