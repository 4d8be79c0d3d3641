"""Deposits that a payment system has taken and that may not be credited: held, and given back by two people (F1)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import Currency, DepositReturn, HeldDeposit, HeldState, ReturnState, UnmatchedItem, User
from accounts.services.deposit_returns import approve_return, propose_return
from accounts.services.provider_deposits import hold_found
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: payment systems"


class ReturnBody(Body):
    """Why it is given back; by which document, if the payment system did it by itself or tells nothing."""

    reason = Text(max_length=200)
    document = Text(max_length=200, required=False, help_text="Empty: the payment system is asked to do it.")
    returned = serializers.BooleanField(required=False, help_text="What the document says; it is, unless told.")


class HeldDocument(serializers.Serializer[None]):
    """What is held."""

    number = serializers.IntegerField()
    provider = serializers.CharField()
    reference = serializers.CharField()
    username = serializers.CharField()
    taken = serializers.CharField(help_text="In the currency.")
    currency = serializers.ChoiceField(Currency.choices)
    amount = Byn()
    why = serializers.CharField()
    state = serializers.ChoiceField(HeldState.choices)
    held_at = Moment()


class ReturnDocument(serializers.Serializer[None]):
    """A return, proposed or further."""

    number = serializers.IntegerField()
    held = serializers.IntegerField()
    reason = serializers.CharField()
    document = serializers.CharField(allow_blank=True)
    returned = serializers.BooleanField()
    state = serializers.ChoiceField(ReturnState.choices)
    proposed_by = serializers.CharField()
    moved_at = Moment()
    told = serializers.CharField(allow_blank=True)


def _all_held() -> QuerySet[HeldDeposit]:
    return HeldDeposit.objects.select_related("deposit__account__player")


def _all_returns() -> QuerySet[DepositReturn]:
    return DepositReturn.objects.select_related("proposed_by", "held__deposit")


def _held_written(held: HeldDeposit) -> Written:
    return {
        "number": held.pk,
        "provider": held.deposit.provider,
        "reference": held.deposit.reference,
        "username": held.deposit.account.player.username,
        "taken": plain_byn(held.taken),
        "currency": held.currency,
        "amount": plain_byn(held.amount),
        "why": held.why,
        "state": held.state,
        "held_at": instant(held.held_at),
    }


def _return_written(back: DepositReturn) -> Written:
    return {
        "number": back.pk,
        "held": back.held_id,
        "reason": back.reason,
        "document": back.document,
        "returned": back.returned,
        "state": back.state,
        "proposed_by": back.proposed_by.username,
        "moved_at": instant(back.moved_at),
        "told": back.told,
    }


def _hold(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    item = found(UnmatchedItem.objects.all(), pk=number)
    return _held_written(found(_all_held(), pk=hold_found(item=item, held_by=staff).pk))


def _propose(staff: User, told: Told, number: int) -> Written:
    return _return_written(propose_return(held=found(_all_held(), pk=number), **told, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_return(proposal=found(_all_returns(), pk=number), approved_by=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _return_written(found(_all_returns(), pk=number))


_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="held-deposits",
        name="staff_held_deposits",
        summary="Deposits that a payment system has taken and that may not be credited, from the oldest",
        tag=TAG,
        rows_name="deposits",
        row=HeldDocument,
        rows=lambda _query: _all_held().filter(state=HeldState.HELD),
        write=_held_written,
        ordering=("pk",),
    ),
    Listing(
        path="deposit-returns",
        name="staff_deposit_returns",
        summary="Returns of held deposits, the newest first",
        tag=TAG,
        rows_name="returns",
        row=ReturnDocument,
        rows=lambda _query: _all_returns(),
        write=_return_written,
    ),
    Act(
        path="unmatched/<int:number>/hold",
        name="staff_unmatched_hold",
        summary="Book as held what the payment system, asked now, says it has taken and may not be credited",
        tag=TAG,
        body=NothingBody,
        answer=HeldDocument,
        do=_hold,
        refused=(*_UNFIT, Refusal.PROVIDER_AWAY, Refusal.RATE_STALE, Refusal.REGISTER_STALE),
        status=200,
    ),
    Act(
        path="held-deposits/<int:number>/returns",
        name="staff_deposit_return_propose",
        summary="Propose to give a held deposit back, or tell by a document that it was",
        tag=TAG,
        body=ReturnBody,
        answer=ReturnDocument,
        do=_propose,
        refused=_UNFIT,
    ),
    Act(
        path="deposit-returns/<int:number>/approval",
        name="staff_deposit_return_approve",
        summary="Let the latest such proposal be carried out, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ReturnDocument,
        do=_approve,
        shown=_shown,
        refused=(*_UNFIT, Refusal.SAME_PERSON),
        status=200,
    ),
)
