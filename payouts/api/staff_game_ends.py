"""Ending a game: proposed with the document that moves its jackpot, approved by another person (J3)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.api.staff.uploads import FileBody, content_of
from accounts.models import GameEnd, GameEndProposal, JackpotGame, User
from payouts.services.game_ends import approve_game_end, propose_game_end, read_end_document
from totalizator.core.api.bodies import Day
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: jackpots"


class GameEndBody(FileBody):
    """Which game ends and why, with the document's number, date and scan; whose jackpot takes its money."""

    game = serializers.ChoiceField(JackpotGame.choices)
    jackpot_to = serializers.ChoiceField(JackpotGame.choices, required=False)
    reason = serializers.CharField(max_length=500)
    number = serializers.CharField(max_length=50)
    dated = Day()


class GameEndProposalDocument(serializers.Serializer[None]):
    """A game that is proposed to end."""

    number = serializers.IntegerField()
    game = serializers.ChoiceField(JackpotGame.choices)
    jackpot_to = serializers.CharField(allow_blank=True)
    reason = serializers.CharField()
    document = serializers.CharField()
    dated = serializers.DateField()
    digest = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved = serializers.BooleanField()


class GameEndDocument(serializers.Serializer[None]):
    """A game that ended."""

    game = serializers.ChoiceField(JackpotGame.choices)
    jackpot_to = serializers.CharField(allow_blank=True)
    moved = Byn(help_text="What its jackpot held.")
    ended_at = Moment()


def _proposals(query: Told) -> QuerySet[GameEndProposal]:  # noqa: ARG001
    return GameEndProposal.objects.select_related("proposed_by", "decision")


def _proposal(proposal: GameEndProposal) -> Written:
    return {
        "number": proposal.pk,
        "game": proposal.game,
        "jackpot_to": proposal.jackpot_to,
        "reason": proposal.reason,
        "document": proposal.document_number,
        "dated": proposal.document_date.isoformat(),
        "digest": proposal.digest,
        "proposed_by": proposal.proposed_by.get_username(),
        "proposed_at": instant(proposal.proposed_at),
        "approved": hasattr(proposal, "decision"),
    }


def _end(end: GameEnd) -> Written:
    return {
        "game": end.game,
        "jackpot_to": end.jackpot_to,
        "moved": plain_byn(end.moved),
        "ended_at": instant(end.ended_at),
    }


def _propose(staff: User, told: Told) -> Written:
    words = {name: told[name] for name in ("game", "reason", "number", "dated")}
    jackpot_to = told.get("jackpot_to", "")
    content = content_of(told["file"])
    return _proposal(propose_game_end(**words, jackpot_to=jackpot_to, content=content, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _end(approve_game_end(proposal=found(_proposals({}), pk=number), approved_by=staff))


def _document(staff: User, told: Told, number: int) -> GivenFile:  # noqa: ARG001
    proposal = found(_proposals({}), pk=number)
    return GivenFile(f"game-end-{number}", read_end_document(proposal), proposal.content_type)


_STAFF: dict[str, Any] = {"tag": TAG}
DECLARED = (
    Listing(
        path="game-end-proposals",
        name="staff_game_ends",
        summary="Games that were proposed to end, the newest first (J3)",
        rows_name="proposals",
        row=GameEndProposalDocument,
        rows=_proposals,
        write=_proposal,
        **_STAFF,
    ),
    Act(
        path="game-end-proposals",
        name="staff_game_end_propose",
        summary="Propose to end a game, with the document that moves its jackpot to another game's",
        body=GameEndBody,
        answer=GameEndProposalDocument,
        do=_propose,
        refused=(Refusal.WRONG_STATE,),
        is_upload=True,
        **_STAFF,
    ),
    Act(
        path="game-end-proposals/<int:number>/approval",
        name="staff_game_end_approve",
        summary="End the game as another person proposed",
        body=NothingBody,
        answer=GameEndDocument,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
        about="Refused while a pool of the game is under way, or its jackpot holds money and no document moves it.",
        **_STAFF,
    ),
    Download(
        path="game-end-proposals/<int:number>/document",
        name="staff_game_end_document",
        summary="The document of a game's end, as it was filed",
        media_types=("application/pdf", "image/jpeg", "image/png"),
        read=_document,
        refused=(Refusal.NOT_FOUND, Refusal.EVIDENCE_CHANGED),
        **_STAFF,
    ),
)
