"""The queue of payments that are not the same here and at a payment system (F1)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.deposits import NOT_CREDITED
from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found, name_of
from accounts.models import Mismatch, UnmatchedItem, User
from accounts.services.provider_deposits import credit_found
from accounts.services.unmatched import close_unmatched
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal

TAG = "Staff: payment systems"


class UnmatchedQuery(PageQuery):
    """Which of them: those that are open, unless told."""

    closed = serializers.ChoiceField(["yes", "no"], required=False)


class UnmatchedDecisionBody(Body):
    """What was done about it, by which document."""

    decision = Text(max_length=200)


class UnmatchedDocument(serializers.Serializer[None]):
    """A payment that is not the same on both sides."""

    number = serializers.IntegerField()
    provider = serializers.CharField()
    reference = serializers.CharField()
    mismatch = serializers.ChoiceField(Mismatch.choices)
    ours = serializers.CharField(allow_blank=True)
    theirs = serializers.CharField(allow_blank=True)
    explanation = serializers.CharField(allow_blank=True)
    found_at = Moment()
    closed_at = Moment(allow_null=True)
    closed_by = serializers.CharField(allow_null=True)
    decision = serializers.CharField(allow_blank=True)


def _items() -> QuerySet[UnmatchedItem]:
    return UnmatchedItem.objects.select_related("closed_by")


def _rows(query: Told) -> QuerySet[UnmatchedItem]:
    return _items().filter(closed_at__isnull=query.get("closed", "no") == "no")


def _close(staff: User, told: Told, number: int) -> Written:
    close_unmatched(item=found(_items(), pk=number), decision=told["decision"], closed_by=staff)
    return _written(found(_items(), pk=number))


def _credit(staff: User, told: Told, number: int) -> Written:
    item = found(_items(), pk=number)
    if item.closed_at is None or (item.closed_by, item.decision) != (staff, told["decision"].strip()):
        credit_found(item=item, decision=told["decision"], decided_by=staff)
    return _written(found(_items(), pk=number))


def _written(item: UnmatchedItem) -> Written:
    return {
        "number": item.pk,
        "provider": item.provider,
        "reference": item.reference,
        "mismatch": item.mismatch,
        "ours": item.ours,
        "theirs": item.theirs,
        "explanation": item.explanation,
        "found_at": instant(item.found_at),
        "closed_at": instant_or_none(item.closed_at),
        "closed_by": name_of(item.closed_by),
        "decision": item.decision,
    }


DECLARED = (
    Listing(
        path="unmatched",
        name="staff_unmatched",
        summary="Payments that are not the same on both sides, from the oldest",
        tag=TAG,
        rows_name="items",
        row=UnmatchedDocument,
        rows=_rows,
        write=_written,
        query=UnmatchedQuery,
        ordering=("found_at", "pk"),
    ),
    Act(
        path="unmatched/<int:number>/closing",
        name="staff_unmatched_close",
        summary="Take something out of the queue, with what was done about it",
        tag=TAG,
        body=UnmatchedDecisionBody,
        answer=UnmatchedDocument,
        do=_close,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
    Act(
        path="unmatched/<int:number>/credit",
        name="staff_unmatched_credit",
        summary="Credit a deposit that the payment system, asked now, says it has, and close the item",
        tag=TAG,
        body=UnmatchedDecisionBody,
        answer=UnmatchedDocument,
        do=_credit,
        refused=(*NOT_CREDITED, Refusal.NOT_FOUND, Refusal.WRONG_STATE, Refusal.PROVIDER_AWAY, Refusal.RATE_STALE),
        status=200,
        about="An item is closed once; sent again with the same decision, it is told again and nothing is credited.",
    ),
)
