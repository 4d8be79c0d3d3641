"""What the organizer's staff decide of claims: lost tickets, large payments, central desks, longer terms."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found, point_at
from accounts.models import User
from payouts.api.ticket_claims import ClaimDocument, LargePaymentDocument, claim_document, large_document
from payouts.models import LIVE, ClaimProposal, ClaimState, LargePayment, TermExtension, TicketClaim
from payouts.services.central_desks import appoint_central_desk
from payouts.services.extending import approve_extension, propose_extension
from payouts.services.large_payments import approve_large_payment
from payouts.services.ticket_claims import approve_decision, propose_decision
from totalizator.core.api.bodies import Body, Day, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal

TAG = "Staff: claims"
_BY_TWO = (Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE)


class ClaimQuery(PageQuery):
    """Which claims: those that hold a ticket, unless told."""

    state = serializers.ChoiceField(ClaimState.choices, required=False)


class DecisionBody(Body):
    """Whether the claimant is to be paid, and why."""

    grant = serializers.BooleanField()
    reason = Text(max_length=500)


class TermExtensionBody(Body):
    """Until when winnings are to be paid, why, and by which document."""

    last_day = Day()
    reason = Text(max_length=500)
    document = Text(max_length=200)


class CentralDeskBody(Body):
    """Whether the point is to be a central desk, and why."""

    central = serializers.BooleanField()
    reason = Text(max_length=200)


class Proposed(serializers.Serializer[None]):
    """What waits for another person."""

    number = serializers.IntegerField()
    proposed_at = Moment()


class ExtensionDocument(Proposed):
    """A longer term."""

    pool = serializers.CharField()
    payable_until = Moment(help_text="Exclusive.")
    document = serializers.CharField()
    approved = serializers.BooleanField()


class CentralDeskDocument(serializers.Serializer[None]):
    """How a point stands now."""

    point = serializers.CharField()
    central = serializers.BooleanField()


def _claims(query: Told) -> QuerySet[TicketClaim]:
    return TicketClaim.objects.filter(state__in=[query["state"]] if "state" in query else LIVE)


def _propose(staff: User, told: Told, number: int) -> Written:
    claim = found(TicketClaim.objects.all(), pk=number)
    proposal = propose_decision(claim=claim, grant=told["grant"], reason=told["reason"], proposed_by=staff)
    return {"number": proposal.pk, "proposed_at": instant(proposal.proposed_at)}


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(ClaimProposal.objects.select_related("claim"), pk=number)
    approve_decision(proposal=proposal, approved_by=staff)
    return claim_document(TicketClaim.objects.get(pk=proposal.claim_id))


def _large(query: Told) -> QuerySet[LargePayment]:  # noqa: ARG001
    return LargePayment.objects.select_related("point", "prepared_by", "approval")


def _approve_large(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    approve_large_payment(payment=found(LargePayment.objects.all(), pk=number), approved_by=staff)
    return large_document(found(_large({}), pk=number))


def _appoint(staff: User, told: Told, code: str) -> Written:
    point = point_at(code)
    appoint_central_desk(point=point, is_central=told["central"], reason=told["reason"], by=staff)
    return {"point": point.code, "central": told["central"]}


def _extend(staff: User, told: Told, code: str) -> Written:
    return _extension(propose_extension(code=code, **told, proposed_by=staff))


def _approve_extension(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    extension = found(TermExtension.objects.select_related("pool"), pk=number)
    approve_extension(extension=extension, approved_by=staff)
    return _extension(TermExtension.objects.get(pk=number))


def _extension(extension: TermExtension) -> Written:
    return {
        "number": extension.pk,
        "pool": extension.pool.code,
        "payable_until": instant(extension.payable_until),
        "document": extension.document,
        "proposed_at": instant(extension.proposed_at),
        "approved": hasattr(extension, "decision"),
    }


_OF_CLAIMS: dict[str, Any] = {"tag": TAG}
DECLARED = (
    Listing(
        path="ticket-claims",
        name="staff_ticket_claims",
        summary="Claims to lost tickets that hold a ticket, or those of another state",
        rows_name="claims",
        row=ClaimDocument,
        rows=_claims,
        write=claim_document,
        query=ClaimQuery,
        ordering=("opened_at", "pk"),
        **_OF_CLAIMS,
    ),
    Act(
        path="ticket-claims/<int:number>/proposals",
        name="staff_claim_propose",
        summary="Propose to pay who claims a lost ticket, or to refuse",
        body=DecisionBody,
        answer=Proposed,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_OF_CLAIMS,
    ),
    Act(
        path="ticket-claim-proposals/<int:number>/approval",
        name="staff_claim_approve",
        summary="Approve what another person proposed about a lost ticket",
        body=NothingBody,
        answer=ClaimDocument,
        do=_approve,
        refused=_BY_TWO,
        status=200,
        **_OF_CLAIMS,
    ),
    Listing(
        path="large-payments",
        name="staff_large_payments",
        summary="Large payments that were prepared at central desks, the newest first",
        rows_name="payments",
        row=LargePaymentDocument,
        rows=_large,
        write=large_document,
        **_OF_CLAIMS,
    ),
    Act(
        path="large-payments/<int:number>/approval",
        name="staff_large_payment_approve",
        summary="Approve a large payment that another person prepared",
        body=NothingBody,
        answer=LargePaymentDocument,
        do=_approve_large,
        refused=_BY_TWO,
        status=200,
        **_OF_CLAIMS,
    ),
    Act(
        path="points/<label:code>/central-desk",
        name="staff_central_desk",
        summary="Make a point a central desk, where large winnings are paid, or one no longer",
        body=CentralDeskBody,
        answer=CentralDeskDocument,
        do=_appoint,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
        **_OF_CLAIMS,
    ),
    Act(
        path="pools/<label:code>/term-extensions",
        name="staff_term_extend",
        summary="Propose that a pool's winnings are paid for longer",
        body=TermExtensionBody,
        answer=ExtensionDocument,
        do=_extend,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        **_OF_CLAIMS,
    ),
    Act(
        path="term-extensions/<int:number>/approval",
        name="staff_term_extension_approve",
        summary="Approve a longer term that another person proposed",
        body=NothingBody,
        answer=ExtensionDocument,
        do=_approve_extension,
        refused=_BY_TWO,
        status=200,
        **_OF_CLAIMS,
    ),
)
