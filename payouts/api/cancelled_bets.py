"""Bets that were cancelled for a breach of the rules: deciding, and what is published of it (¶29)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import User
from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from pools.api.pools import announced
from pools.models import BetCancellation, BetCancellationProposal, CancelledWhen, WinningTaken
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: disputes"


class BreachBody(Body):
    """Which rule was broken and how, and the paper that says so."""

    reason = Text(max_length=1_000)
    document = Text(max_length=200)


class CancellationProposalDocument(serializers.Serializer[None]):
    """A bet that is proposed to be cancelled."""

    number = serializers.IntegerField()
    pool = serializers.CharField()
    ticket = serializers.CharField()
    reason = serializers.CharField()
    document = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved = serializers.BooleanField()


class CancelledBetDocument(serializers.Serializer[None]):
    """A cancelled bet, without the reason, which may speak of a person."""

    pool = serializers.CharField()
    ticket = serializers.CharField()
    cancelled = serializers.ChoiceField(CancelledWhen.choices)
    stake = Byn(help_text="Given back in full.")
    winning = serializers.ChoiceField(WinningTaken.choices)
    taken = Byn(help_text="Of the winning: into the jackpot, or to be given back by who was paid.")
    at = Moment()
    document = serializers.CharField(help_text="The text whose digest the public log has under the ticket.")


class CancelledBets(serializers.Serializer[None]):
    """The cancelled bets of a pool."""

    cancelled = CancelledBetDocument(many=True)


class PoolCancelledBets(PublicRead):
    """`GET pools/{code}/cancelled-bets`."""

    @described(
        "cancelled_bets",
        "Bets of a pool that were cancelled for a breach of the rules (¶29)",
        tag="Money in public",
        answers={200: CancelledBets},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        about="Those cancelled after the settlement change nothing in the pool's published files.",
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """List them."""
        rows = announced(code).bet_cancellations.select_related("pool").order_by("cancelled_at", "ticket")
        return Response({"cancelled": [_cancelled(row) for row in rows]})


def _propose(staff: User, told: Told, ticket: str) -> Written:
    return _proposal(propose_bet_cancellation(ticket=ticket, **told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    proposal = found(BetCancellationProposal.objects.all(), pk=number)
    return _cancelled(approve_bet_cancellation(proposal=proposal, approved_by=staff))


def _proposal(proposal: BetCancellationProposal) -> Written:
    return {
        "number": proposal.pk,
        "pool": proposal.pool.code,
        "ticket": proposal.ticket,
        "reason": proposal.reason,
        "document": proposal.document,
        "proposed_by": proposal.proposed_by.get_username(),
        "proposed_at": instant(proposal.proposed_at),
        "approved": hasattr(proposal, "decision"),
    }


def _cancelled(row: BetCancellation) -> dict[str, Any]:
    return {
        "pool": row.pool.code,
        "ticket": row.ticket,
        "cancelled": row.cancelled_when,
        "stake": plain_byn(row.stake),
        "winning": row.winning,
        "taken": plain_byn(row.taken),
        "at": instant(row.cancelled_at),
        "document": row.document_text,
    }


DECLARED = (
    Listing(
        path="bet-cancellation-proposals",
        name="staff_bet_cancellations",
        summary="Bets that were proposed to be cancelled, the newest first",
        tag=TAG,
        rows_name="proposals",
        row=CancellationProposalDocument,
        rows=lambda query: BetCancellationProposal.objects.select_related("pool", "proposed_by", "decision"),  # noqa: ARG005
        write=_proposal,
    ),
    Act(
        path="bets/<label:ticket>/cancellation-proposals",
        name="staff_bet_cancel",
        summary="Propose to cancel a bet that was made in breach of the rules (¶29)",
        tag=TAG,
        body=BreachBody,
        answer=CancellationProposalDocument,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="bet-cancellation-proposals/<int:number>/approval",
        name="staff_bet_cancel_approve",
        summary="Cancel a bet as another person proposed",
        tag=TAG,
        body=NothingBody,
        answer=CancelledBetDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
)
