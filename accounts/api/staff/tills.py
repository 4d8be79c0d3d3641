"""Tills: set up, certified, given a cashier and cash, switched and closed (¶7, ¶9.5, C1, C3)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import (
    Booked,
    NothingBody,
    SwitchBody,
    Switched,
    cashier_named,
    name_of,
    point_at,
    till_at,
)
from accounts.models import Till, User
from accounts.services.points import assign_cashier, close_till, give_float, open_till
from accounts.services.switching import switch_till
from totalizator.core.api.bodies import Amount, Body, Text
from totalizator.core.api.documents import Moment, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: equipment"


class NewTillBody(Body):
    """A till's number at its point, and its cashier."""

    number = serializers.IntegerField(min_value=1, max_value=32767)
    cashier = Text(max_length=150)


class CashierBody(Body):
    """Who works at the till; null: nobody."""

    cashier = Text(max_length=150, allow_null=True)


class FloatBody(Body):
    """Cash from the bank, and the bank's document."""

    amount = Amount()
    document = Text(max_length=60)


class StaffTill(serializers.Serializer[None]):
    """A till."""

    point = serializers.CharField()
    number = serializers.IntegerField()
    cashier = serializers.CharField(allow_null=True)
    on = serializers.BooleanField()
    closed_at = Moment(allow_null=True)


def _tills(query: Told, code: str) -> QuerySet[Till]:  # noqa: ARG001
    return Till.objects.filter(point=point_at(code)).select_related("point", "cashier")


def _open(staff: User, told: Told, code: str) -> Written:
    cashier = cashier_named(told["cashier"])
    return _written(open_till(point=point_at(code), number=told["number"], cashier=cashier, by=staff))


def _assign(staff: User, told: Told, code: str, number: int) -> Written:
    cashier = cashier_named(told["cashier"]) if told["cashier"] is not None else None
    return _written(assign_cashier(till=till_at(code, number), cashier=cashier, by=staff))


def _give(staff: User, told: Told, code: str, number: int) -> None:
    give_float(till=till_at(code, number), **told, by=staff)


def _switch(staff: User, told: Told, code: str, number: int) -> Written:
    till = till_at(code, number)
    switch_till(till=till, on=told["on"], reason=told["reason"], by=staff)
    return {"on": till.enabled}


def _close(staff: User, told: Told, code: str, number: int) -> Written:  # noqa: ARG001
    return _written(close_till(till=till_at(code, number), closed_by=staff))


def _written(till: Till) -> Written:
    return {
        "point": till.point.code,
        "number": till.number,
        "cashier": name_of(till.cashier),
        "on": till.enabled,
        "closed_at": instant_or_none(till.closed_at),
    }


_TILL = "points/<label:code>/tills/<int:number>"
_UNFIT: tuple[Any, ...] = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="points/<label:code>/tills",
        name="staff_tills",
        summary="A point's tills",
        tag=TAG,
        rows_name="tills",
        row=StaffTill,
        rows=_tills,
        write=_written,
        ordering=("number", "pk"),
    ),
    Act(
        path="points/<label:code>/tills",
        name="staff_till_open",
        summary="Set up a till for a cashier; it sells once it has a certificate and an open shift",
        tag=TAG,
        body=NewTillBody,
        answer=StaffTill,
        do=_open,
        refused=_UNFIT,
    ),
    Act(
        path=f"{_TILL}/cashier",
        name="staff_till_assign",
        summary="Give a till another cashier, or none, between two shifts",
        tag=TAG,
        body=CashierBody,
        answer=StaffTill,
        do=_assign,
        refused=_UNFIT,
        status=200,
    ),
    Act(
        path=f"{_TILL}/floats",
        name="staff_till_float",
        summary="Book cash that was brought from the bank into a till",
        tag=TAG,
        body=FloatBody,
        answer=Booked,
        do=_give,
        shown=lambda _staff, _told, **_named: {"booked": True},
        refused=(Refusal.NOT_FOUND, Refusal.CASH_LIMIT),
        about="The same document is booked once.",
    ),
    Act(
        path=f"{_TILL}/switch",
        name="staff_till_switch",
        summary="Switch a till off or on: nothing is sold or paid there once this is answered",
        tag=TAG,
        body=SwitchBody,
        answer=Switched,
        do=_switch,
        refused=_UNFIT,
        status=200,
    ),
    Act(
        path=f"{_TILL}/closing",
        name="staff_till_close",
        summary="Close an empty till for good, and its terminals with it",
        tag=TAG,
        body=NothingBody,
        answer=StaffTill,
        do=_close,
        refused=_UNFIT,
        status=200,
    ),
)
