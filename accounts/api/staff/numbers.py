"""Dated numbers: which values hold from when; one of the staff proposes another one, another approves it (N4)."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, found
from accounts.models import NumberProposal, User
from accounts.services.dated_numbers import approve_number, propose_number
from accounts.services.withdrawn_proposals import withdraw_number
from totalizator.core.api.bodies import Body, Day, Text
from totalizator.core.api.documents import Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.models import LegalNumber

TAG = "Staff: the system"


class NumberBody(Body):
    """Which number has which value from which legal day on; who says so, and why."""

    name = Text(max_length=60)
    value = Text(max_length=40, help_text="A whole number or an exact fraction: `21`, `1/20`.")
    valid_from = Day()
    document = Text(max_length=200, help_text="The act or decision that says so.")
    reason = Text(max_length=2_000)


class DatedNumber(serializers.Serializer[None]):
    """A value, and the first day on which it holds. Of two for one day the later one counts."""

    name = serializers.CharField()
    value = serializers.CharField()
    valid_from = serializers.DateField()
    document = serializers.CharField()


class ProposedNumber(DatedNumber):
    """What waits for another person, or was approved; of a number and day only the latest proposal counts."""

    number = serializers.IntegerField()
    reason = serializers.CharField()
    proposed_by = serializers.CharField()
    proposed_at = Moment()
    decided = serializers.BooleanField()


def _proposals() -> QuerySet[NumberProposal]:
    return NumberProposal.objects.select_related("proposed_by", "decision")


def _propose(staff: User, told: Told) -> Written:
    body = dict(told)
    return _written(propose_number(source=body.pop("document"), **body, proposed_by=staff))


def _approve(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    approve_number(number=number, approved_by=staff)
    return _written(found(_proposals(), pk=number))


def _withdraw(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    withdraw_number(number=number, withdrawn_by=staff)
    return _written(found(_proposals(), pk=number))


def _value(row: LegalNumber | NumberProposal) -> Written:
    return {"name": row.name, "value": row.value, "valid_from": row.valid_from.isoformat(), "document": row.source}


def _written(proposal: NumberProposal) -> Written:
    return {
        "number": proposal.pk,
        **_value(proposal),
        "reason": proposal.reason,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": instant(proposal.proposed_at),
        "decided": hasattr(proposal, "decision"),
    }


DECLARED = (
    Listing(
        path="numbers",
        name="staff_numbers",
        summary="Every value of every dated number, of the past and to come",
        tag=TAG,
        rows_name="numbers",
        row=DatedNumber,
        rows=lambda _query: LegalNumber.objects.all(),
        write=_value,
        ordering=("name", "valid_from", "pk"),
    ),
    Listing(
        path="number-proposals",
        name="staff_number_proposals",
        summary="Proposed values that nobody has approved, the latest first",
        tag=TAG,
        rows_name="proposals",
        row=ProposedNumber,
        rows=lambda _query: _proposals().filter(decision__isnull=True, withdrawn__isnull=True),
        write=_written,
    ),
    Act(
        path="number-proposals",
        name="staff_number_propose",
        summary="Propose another value of a dated number, from a day to come",
        tag=TAG,
        body=NumberBody,
        answer=ProposedNumber,
        do=_propose,
        refused=(Refusal.NOT_FOUND,),
    ),
    Act(
        path="number-proposals/<int:number>/approval",
        name="staff_number_approve",
        summary="Enter the proposed value, by another person",
        tag=TAG,
        body=NothingBody,
        answer=ProposedNumber,
        do=_approve,
        refused=(Refusal.NOT_FOUND, Refusal.SAME_PERSON, Refusal.WRONG_STATE),
        status=200,
    ),
    Act(
        path="number-proposals/<int:number>/withdrawal",
        name="staff_number_withdraw",
        summary="Take back a value that one has proposed oneself",
        tag=TAG,
        body=NothingBody,
        answer=ProposedNumber,
        do=_withdraw,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
)
