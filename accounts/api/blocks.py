"""Blocking a game account and opening it again: one of the staff proposes, another approves (¶35.3, E5)."""

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_named, person_asking
from accounts.models import AccountAct, AccountDecision, AccountProposal, AccountState, GameAccount
from accounts.permissions import AreStaff
from accounts.queries.block_proposals import standing_block_proposals
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from totalizator.core.api.bodies import Body, Text, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import Refusal

TAG = "Identity"
_PROPOSE: Mapping[AccountAct, Callable[..., AccountProposal]] = {
    AccountAct.BLOCK: propose_block,
    AccountAct.UNBLOCK: propose_unblock,
}
_APPROVE: Mapping[AccountAct, Callable[..., AccountDecision]] = {
    AccountAct.BLOCK: block_account,
    AccountAct.UNBLOCK: unblock_account,
}


class ProposalBody(Body):
    """Whose account, what is to be done, and why."""

    username = Text(max_length=150)
    act = serializers.ChoiceField(AccountAct.choices)
    reason = Text(max_length=500)


class ApprovalBody(Body):
    """Whose account, and what was proposed: if it is not the latest proposal, nothing is approved."""

    username = Text(max_length=150)
    act = serializers.ChoiceField(AccountAct.choices)


class Proposal(serializers.Serializer[None]):
    """What waits for another person, or was approved."""

    username = serializers.CharField()
    act = serializers.ChoiceField(AccountAct.choices)
    reason = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    account = serializers.ChoiceField(AccountState.choices, help_text="Where the account stands now.")


class Proposals(serializers.Serializer[None]):
    """A page of what waits, the newest first."""

    proposals = Proposal(many=True)
    next = serializers.URLField(allow_null=True)


class BlockProposals(APIView):
    """`players/blocks`."""

    permission_classes = (AreStaff,)

    @described(
        "block_proposals",
        "Proposals to block an account or to open it again that nobody has approved",
        tag=TAG,
        answers={200: Proposals},
        query=PageQuery,
        about="Of an account only the latest proposal counts.",
    )
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query = read_query(request, PageQuery)
        waiting = standing_block_proposals()
        return page_of(request, waiting, "proposals", _written, query=query, ordering=("-proposed_at", "-pk"))

    @described(
        "block_propose",
        "Propose to block an account, or to open it again",
        tag=TAG,
        answers={201: Proposal},
        body=ProposalBody,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        about="Nothing happens before another person approves it.",
    )
    def post(self, request: Request) -> Response:
        """Propose it."""
        told, staff = read_body(request, ProposalBody), person_asking(request)
        account = account_named(told["username"])
        propose = _PROPOSE[AccountAct(told["act"])]
        return Response(_document(propose(account=account, reason=told["reason"], proposed_by=staff)), status=201)


class BlockApprovals(APIView):
    """`POST players/blocks/approval`."""

    permission_classes = (AreStaff,)

    @described(
        "block_approve",
        "Approve what another person proposed: no bet is taken from a blocked account",
        tag=TAG,
        answers={200: Proposal},
        body=ApprovalBody,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Approve it."""
        told, staff = read_body(request, ApprovalBody), person_asking(request)
        account: GameAccount = account_named(told["username"])
        decision = _APPROVE[AccountAct(told["act"])](account=account, approved_by=staff)
        proposals = AccountProposal.objects.select_related("account__player", "proposed_by")
        return Response(_document(proposals.get(pk=decision.proposal_id)))


def _written(proposals: list[AccountProposal]) -> list[dict[str, Any]]:
    return [_document(proposal) for proposal in proposals]


def _document(proposal: AccountProposal) -> dict[str, Any]:
    return {
        "username": proposal.account.player.username,
        "act": proposal.act,
        "reason": proposal.reason,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
        "account": proposal.account.state,
    }
