"""Lost and damaged prepaid cards: blocked, opened again, replaced by two people (D4)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.card_stock import RangeBody
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found, name_of
from accounts.models import CardReplacement, User
from accounts.services.card_blocking import block_cards, unblock_cards
from accounts.services.card_ranges import CardRange
from accounts.services.card_replacing import approve_replacement, propose_replacement
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: prepaid cards"


class ReasonedRangeBody(RangeBody):
    """Cards of a series from the first number to the last, and why."""

    reason = Text(max_length=200)


class ReplacementBody(Body):
    """The damaged card, the one that takes its place, and what shows that the card is the bearer's."""

    damaged = Text(max_length=40)
    replacement = Text(max_length=40)
    proof = Text(max_length=200)


class ChangedCards(serializers.Serializer[None]):
    """How many cards of the range were changed."""

    quantity = serializers.IntegerField()


class ReplacementDocument(serializers.Serializer[None]):
    """A replacement that waits for another person, or was approved."""

    number = serializers.IntegerField()
    damaged = serializers.CharField()
    replacement = serializers.CharField()
    proof = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    approved_by = serializers.CharField(allow_null=True)
    approved_at = Moment(allow_null=True)


def _block(staff: User, told: Told) -> Written:
    return {"quantity": block_cards(cards=_range(told), reason=told["reason"], blocked_by=staff)}


def _unblock(staff: User, told: Told) -> Written:
    return {"quantity": unblock_cards(cards=_range(told), reason=told["reason"], unblocked_by=staff)}


def _range(told: Told) -> CardRange:
    return CardRange.typed(told["series"], told["first"], told["last"])


def _replacements() -> QuerySet[CardReplacement]:
    return CardReplacement.objects.select_related("damaged", "replacement", "proposed_by", "approved_by")


def _propose(staff: User, told: Told) -> Written:
    return _written(propose_replacement(**told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_replacement(proposal=found(_replacements(), pk=number), approved_by=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _written(found(_replacements(), pk=number))


def _written(proposal: CardReplacement) -> Written:
    return {
        "number": proposal.pk,
        "damaged": proposal.damaged.number,
        "replacement": proposal.replacement.number,
        "proof": proposal.proof,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
        "approved_by": name_of(proposal.approved_by),
        "approved_at": instant_or_none(proposal.approved_at),
    }


DECLARED = (
    Act(
        path="card-blocks",
        name="staff_cards_block",
        summary="Block a range of cards: none of them pays once this is answered",
        tag=TAG,
        body=ReasonedRangeBody,
        answer=ChangedCards,
        do=_block,
        refused=(Refusal.NOT_FOUND,),
        status=200,
    ),
    Act(
        path="card-blocks/ending",
        name="staff_cards_unblock",
        summary="Open a range of blocked cards again, by another person than who blocked them",
        tag=TAG,
        body=ReasonedRangeBody,
        answer=ChangedCards,
        do=_unblock,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON),
        status=200,
    ),
    Listing(
        path="card-replacements",
        name="staff_card_replacements",
        summary="Replacements of damaged cards, the latest first",
        tag=TAG,
        rows_name="replacements",
        row=ReplacementDocument,
        rows=lambda _query: _replacements(),
        write=_written,
    ),
    Act(
        path="card-replacements",
        name="staff_card_replacement_propose",
        summary="Propose that a card not sold yet takes the place of a damaged one",
        tag=TAG,
        body=ReplacementBody,
        answer=ReplacementDocument,
        do=_propose,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        about="The damaged card pays until it is approved: block it first where it may have been stolen.",
    ),
    Act(
        path="card-replacements/<int:number>/approval",
        name="staff_card_replacement_approve",
        summary="Give the damaged card's money to the new one, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ReplacementDocument,
        do=_approve,
        shown=_shown,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.SAME_PERSON),
        status=200,
    ),
)
