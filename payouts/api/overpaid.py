"""What corrected settlements show to be overpaid, over the API: staff see the cases, two of them decide (I10)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import User
from payouts.models import CorrectedPayable, OverpaidDecision, OverpaidProposal, OverpaidState, PayableKind
from payouts.queries.corrections import overpaid_cases, state_of_case
from payouts.services.overpaid import approve_overpaid, propose_overpaid
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

_STAFF: dict[str, Any] = {"tag": "Staff: disputes"}


class OverpaidBody(Body):
    """What to do about what was overpaid, why, and the paper that says so."""

    kind = serializers.ChoiceField([PayableKind.WINNING, PayableKind.REFUND])
    reclaim = serializers.BooleanField(help_text="Ask it back; or waive it.")
    reason = Text(max_length=1_000)
    document = Text(max_length=200)


class OverpaidCaseDocument(serializers.Serializer[None]):
    """What was paid on a ticket and is not owed by the correction; it stays paid until two people decide."""

    pool = serializers.CharField()
    ticket = serializers.CharField()
    kind = serializers.ChoiceField([PayableKind.WINNING, PayableKind.REFUND])
    before = Byn(help_text="As the pool was settled, before tax.")
    after = Byn(help_text="As it should have been.")
    overpaid = Byn()
    state = serializers.ChoiceField(OverpaidState.choices)


class OverpaidProposalDocument(serializers.Serializer[None]):
    """What one of the staff proposes about a case."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    ticket = serializers.CharField()
    kind = serializers.ChoiceField([PayableKind.WINNING, PayableKind.REFUND])
    reclaim = serializers.BooleanField()
    reason = serializers.CharField()
    document = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved = serializers.BooleanField()


class OverpaidDecisionDocument(serializers.Serializer[None]):
    """What two people decided about a case."""

    pool = serializers.CharField()
    ticket = serializers.CharField()
    kind = serializers.ChoiceField([PayableKind.WINNING, PayableKind.REFUND])
    reclaimed = Byn(help_text="To be given back: of what was handed over, without the tax; 0 when it is waived.")
    at = Moment()


def _cases(query: Told) -> QuerySet[CorrectedPayable]:  # noqa: ARG001
    return overpaid_cases()


def _case(case: CorrectedPayable) -> Written:
    return {
        "pool": case.pool.code,
        "ticket": case.ticket,
        "kind": case.kind,
        "before": plain_byn(case.before),
        "after": plain_byn(case.after),
        "overpaid": plain_byn(case.overpaid),
        "state": state_of_case(case),
    }


def _proposals(query: Told) -> QuerySet[OverpaidProposal]:  # noqa: ARG001
    return OverpaidProposal.objects.select_related("pool", "proposed_by", "decision")


def _proposal(proposal: OverpaidProposal) -> Written:
    return {
        "number": proposal.pk,
        "pool": proposal.pool.code,
        "ticket": proposal.ticket,
        "kind": proposal.kind,
        "reclaim": proposal.reclaim,
        "reason": proposal.reason,
        "document": proposal.document,
        "proposed_by": proposal.proposed_by.get_username(),
        "proposed_at": instant(proposal.proposed_at),
        "approved": hasattr(proposal, "decision"),
    }


def _propose(staff: User, told: Told, ticket: str) -> Written:
    return _proposal(propose_overpaid(ticket=ticket, **told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _decision(approve_overpaid(proposal=found(_proposals({}), pk=number), approved_by=staff))


def _decision(decision: OverpaidDecision) -> Written:
    return {
        "pool": decision.pool.code,
        "ticket": decision.ticket,
        "kind": decision.kind,
        "reclaimed": plain_byn(decision.reclaimed),
        "at": instant(decision.decided_at),
    }


DECLARED = (
    Listing(
        path="overpaid",
        name="staff_overpaid",
        summary="What was paid on tickets and is not owed by the corrected result (I10)",
        rows_name="cases",
        row=OverpaidCaseDocument,
        rows=_cases,
        write=_case,
        ordering=("pool_id", "ticket", "kind"),
        **_STAFF,
    ),
    Listing(
        path="overpaid-proposals",
        name="staff_overpaid_proposals",
        summary="What was proposed about overpaid tickets, the newest first",
        rows_name="proposals",
        row=OverpaidProposalDocument,
        rows=_proposals,
        write=_proposal,
        **_STAFF,
    ),
    Act(
        path="bets/<label:ticket>/overpaid-proposals",
        name="staff_overpaid_propose",
        summary="Propose to reclaim or to waive what was overpaid on a ticket",
        body=OverpaidBody,
        answer=OverpaidProposalDocument,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_STAFF,
    ),
    Act(
        path="overpaid-proposals/<int:number>/approval",
        name="staff_overpaid_approve",
        summary="Decide about what was overpaid as another person proposed",
        body=NothingBody,
        answer=OverpaidDecisionDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
        **_STAFF,
    ),
)
