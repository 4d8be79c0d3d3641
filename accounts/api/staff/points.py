"""Betting points: registered, switched off and on at once, how much cash they hold (¶9.2-9.7, C1)."""

from typing import Any
from zoneinfo import available_timezones

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import MOST, SwitchBody, Switched, found, point_at
from accounts.models import Agent, BettingPoint, PointKind, User
from accounts.services.points import POINT_CODE, register_point
from accounts.services.switching import switch_point
from totalizator.core.api.bodies import Body, Text
from totalizator.core.errors import Refusal

TAG = "Staff: points"
ZONES = sorted(zone for zone in available_timezones() if "/" in zone)


class PointBody(Body):
    """A point; an agent's has the agent's number."""

    code = serializers.RegexField(POINT_CODE, max_length=12, help_text="Letters, digits and `._:-`.")
    name = Text(max_length=200)
    kind = serializers.ChoiceField(PointKind.choices)
    address = Text(required=False, max_length=300)
    time_zone = Text(required=False, max_length=40, help_text="`Europe/Minsk` unless told.")
    agent = serializers.IntegerField(required=False, min_value=1, max_value=MOST)

    def validate_time_zone(self, zone: str) -> str:
        """Refuse what is no zone."""
        if zone not in ZONES:
            raise serializers.ValidationError(_("There is no such time zone."))
        return zone


class PointDocument(serializers.Serializer[None]):
    """A point."""

    code = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(PointKind.choices)
    address = serializers.CharField(allow_blank=True)
    time_zone = serializers.CharField()
    agent = serializers.IntegerField(allow_null=True)
    on = serializers.BooleanField()


def _register(staff: User, told: Told) -> Written:
    rest: dict[str, Any] = dict(told)
    number = rest.pop("agent", None)
    agent = found(Agent.objects.all(), pk=number, field="agent") if number is not None else None
    kind = PointKind(rest.pop("kind"))
    return _written(register_point(**rest, kind=kind, agent=agent, by=staff))


def _switch(staff: User, told: Told, code: str) -> Written:
    point = point_at(code)
    switch_point(point=point, on=told["on"], reason=told["reason"], by=staff)
    return {"on": point.enabled}


def _written(point: BettingPoint) -> Written:
    return {
        "code": point.code,
        "name": point.name,
        "kind": point.kind,
        "address": point.address,
        "time_zone": point.time_zone,
        "agent": point.agent_id,
        "on": point.enabled,
    }


DECLARED = (
    Listing(
        path="points",
        name="staff_points",
        summary="Betting points",
        tag=TAG,
        rows_name="points",
        row=PointDocument,
        rows=lambda _query: BettingPoint.objects.all(),
        write=_written,
        ordering=("code", "pk"),
    ),
    Act(
        path="points",
        name="staff_point_register",
        summary="Register a betting point",
        tag=TAG,
        body=PointBody,
        answer=PointDocument,
        do=_register,
        refused=(Refusal.NOT_FOUND,),
    ),
    Act(
        path="points/<label:code>/switch",
        name="staff_point_switch",
        summary="Switch a whole point off or on: nothing is sold or paid there once this is answered",
        tag=TAG,
        body=SwitchBody,
        answer=Switched,
        do=_switch,
        refused=(Refusal.NOT_FOUND,),
        status=200,
    ),
)
