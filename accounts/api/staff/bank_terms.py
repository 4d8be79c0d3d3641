"""How much cash a point may hold, and whether takings may be paid out: the bank's terms (¶9.6-9.7)."""

from typing import Any

from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found, point_at
from accounts.models import BettingPoint, CashLimit, TakingsAgreement, User
from accounts.services.bank_terms import record_cash_limit, record_takings_agreement
from totalizator.core.api.bodies import Amount, Body, Day, Text
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: points"


class CashLimitBody(Body):
    """How much cash the bank lets the point hold from a day on; null: no limit any more."""

    amount = Amount(allow_null=True)
    valid_from = Day()
    document = Text(max_length=100)


class AgreementBody(Body):
    """That the bank lets takings be paid out, at one point or, without `point`, at all."""

    number = Text(max_length=100)
    bank = Text(max_length=200)
    valid_from = Day()
    valid_until = Day(help_text="The last day.")
    point = Text(required=False, max_length=12)


class CashLimitDocument(serializers.Serializer[None]):
    """A cash limit."""

    point = serializers.CharField()
    amount = serializers.CharField(allow_null=True)
    valid_from = serializers.DateField()
    document = serializers.CharField()


class AgreementDocument(serializers.Serializer[None]):
    """An agreement of the bank."""

    point = serializers.CharField(allow_null=True)
    number = serializers.CharField()
    bank = serializers.CharField()
    valid_from = serializers.DateField()
    valid_until = serializers.DateField()


def _limit(staff: User, told: Told, code: str) -> Written:
    return _limit_document(record_cash_limit(point=point_at(code), **told, by=staff))


def _agree(staff: User, told: Told) -> Written:
    rest: dict[str, Any] = dict(told)
    code = rest.pop("point", None)
    point = found(BettingPoint.objects.all(), code=code, field="point") if code is not None else None
    return _agreement(record_takings_agreement(**rest, point=point, by=staff))


def _limit_document(limit: CashLimit) -> Written:
    return {
        "point": limit.point.code,
        "amount": plain_byn(limit.amount) if limit.amount is not None else None,
        "valid_from": limit.valid_from.isoformat(),
        "document": limit.document,
    }


def _agreement(agreement: TakingsAgreement) -> Written:
    return {
        "point": agreement.point.code if agreement.point is not None else None,
        "number": agreement.number,
        "bank": agreement.bank,
        "valid_from": agreement.valid_from.isoformat(),
        "valid_until": agreement.valid_until.isoformat(),
    }


DECLARED = (
    Act(
        path="points/<label:code>/cash-limits",
        name="staff_cash_limit_record",
        summary="Record how much cash the bank lets a point hold",
        tag=TAG,
        body=CashLimitBody,
        answer=CashLimitDocument,
        do=_limit,
        refused=(Refusal.NOT_FOUND,),
    ),
    Listing(
        path="takings-agreements",
        name="staff_takings_agreements",
        summary="Agreements of the bank on payments out of takings, the latest first",
        tag=TAG,
        rows_name="agreements",
        row=AgreementDocument,
        rows=lambda _query: TakingsAgreement.objects.select_related("point"),
        write=_agreement,
    ),
    Act(
        path="takings-agreements",
        name="staff_takings_agreement_record",
        summary="Record that the bank lets takings be paid out",
        tag=TAG,
        body=AgreementBody,
        answer=AgreementDocument,
        do=_agree,
        refused=(Refusal.NOT_FOUND,),
    ),
)
