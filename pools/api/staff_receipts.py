"""Money that came by transfer and found no place: two people decide (¶9.13, ¶17)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.callers import account_named
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import LARGEST, NothingBody, found
from accounts.models import Outcome, Receipt, User, WhyOpen
from pools.models import BetOrder, ReceiptProposal
from pools.queries.receipts import standing_proposal
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: the bank"
DECIDED = [(each.value, each.label) for each in Outcome if each != "register"]


class ReceiptProposalBody(Body):
    """What becomes of the money, why, and by which paper; for a return, what is left out is as the bank told it."""

    outcome = serializers.ChoiceField(DECIDED)
    reason = Text(max_length=1_000)
    document = Text(max_length=200)
    username = Text(required=False, max_length=150, help_text="Whose game account.")
    order = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST, help_text="Of the bet it pays.")
    payee_name = Text(required=False, max_length=140)
    payee_account = Text(required=False, max_length=40)


class ProposedDecision(serializers.Serializer[None]):
    """What waits for another person."""

    number = serializers.IntegerField()
    receipt = serializers.IntegerField()
    outcome = serializers.ChoiceField(Outcome.choices)
    amount = Byn()
    reason = serializers.CharField()
    document = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    decided = serializers.BooleanField()


class OpenReceiptDocument(serializers.Serializer[None]):
    """Money that waits, as the bank told of it, and what somebody asks another to approve."""

    number = serializers.IntegerField()
    booked_on = serializers.DateField()
    open_amount = Byn()
    why = serializers.ChoiceField(WhyOpen.choices)
    reference = serializers.CharField(allow_blank=True)
    refusal = serializers.CharField(allow_blank=True)
    payer_name = serializers.CharField(allow_blank=True)
    payer_account = serializers.CharField(allow_blank=True)
    purpose = serializers.CharField(allow_blank=True)
    proposal = ProposedDecision(allow_null=True)


def _waiting(_query: Told) -> QuerySet[Receipt]:
    return Receipt.objects.exclude(why__in=[WhyOpen.NEW, WhyOpen.PLACED]).select_related("line__words")


def _proposals() -> QuerySet[ReceiptProposal]:
    return ReceiptProposal.objects.select_related("proposed_by", "decision")


def _propose(staff: User, told: Told, number: int) -> Written:
    username, order = told.get("username"), told.get("order")
    target = Target(
        account=account_named(username) if username is not None else None,
        order=found(BetOrder.objects.all(), pk=order, field="order") if order is not None else None,
        payee_name=told.get("payee_name", ""),
        payee_account=told.get("payee_account", ""),
    )
    proposal = propose_decision(
        line_id=number,
        outcome=Outcome(told["outcome"]),
        target=target,
        reason=told["reason"],
        document=told["document"],
        proposed_by=staff,
    )
    return _proposal(proposal)


def _approve(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_decision(proposal=found(_proposals(), pk=number), approved_by=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _proposal(found(_proposals(), pk=number))


def _written(receipt: Receipt) -> Written:
    words, proposal = receipt.line.words, standing_proposal(receipt)
    return {
        "number": receipt.pk,
        "booked_on": receipt.line.booked_on.isoformat(),
        "open_amount": plain_byn(receipt.open_amount),
        "why": receipt.why,
        "reference": receipt.reference,
        "refusal": receipt.refusal,
        "payer_name": words.party_name,
        "payer_account": words.party_account,
        "purpose": words.purpose,
        "proposal": _proposal(proposal) if proposal is not None else None,
    }


def _proposal(proposal: ReceiptProposal) -> dict[str, Any]:
    return {
        "number": proposal.pk,
        "receipt": proposal.receipt_id,
        "outcome": proposal.outcome,
        "amount": plain_byn(proposal.amount),
        "reason": proposal.reason,
        "document": proposal.document,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": hasattr(proposal, "decision"),
    }


DECLARED = (
    Listing(
        path="receipts",
        name="staff_receipts",
        summary="Money that waits for a decision, from the oldest",
        tag=TAG,
        rows_name="receipts",
        row=OpenReceiptDocument,
        rows=_waiting,
        write=_written,
        ordering=("line__booked_on", "pk"),
    ),
    Act(
        path="receipts/<int:number>/proposals",
        name="staff_receipt_propose",
        summary="Propose what becomes of money that waits; a later proposal takes the place of an earlier",
        tag=TAG,
        body=ReceiptProposalBody,
        answer=ProposedDecision,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="receipt-proposals/<int:number>/approval",
        name="staff_receipt_approve",
        summary="Carry out a proposal, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ProposedDecision,
        do=_approve,
        shown=_shown,
        refused=(
            Refusal.NOT_FOUND,
            Refusal.WRONG_STATE,
            Refusal.SAME_PERSON,
            Refusal.ACCOUNT_BLOCKED,
            Refusal.MAY_NOT_PLAY,
            Refusal.REGISTER_STALE,
            Refusal.LIMIT_REACHED,
            Refusal.POOL_CLOSED,
            Refusal.NOT_OPEN_YET,
        ),
        status=200,
    ),
)
