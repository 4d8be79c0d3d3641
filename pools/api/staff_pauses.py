"""Pauses of sales: of a pool, in a channel, at a point, or of everything (T2)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import found, name_of
from accounts.models import BettingPoint, User
from pools.models import Channel, Incident, IncidentState
from pools.services.pausing import pause_sales, resume_sales
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal

TAG = "Staff: pauses"


class PauseQuery(PageQuery):
    """Which of them: all, unless told."""

    state = serializers.ChoiceField(IncidentState.choices, required=False)


class SalesPauseBody(Body):
    """What is paused: what all of pool, channel and point name together; nothing named is everything."""

    cause = Text(max_length=2_000)
    pool = Text(required=False, max_length=80)
    channel = serializers.ChoiceField(Channel.choices, required=False)
    point = Text(required=False, max_length=12)


class OutcomeBody(Body):
    """What was found and done."""

    outcome = Text(max_length=2_000)


class PauseDocument(serializers.Serializer[None]):
    """A pause."""

    number = serializers.IntegerField()
    pool = serializers.CharField(allow_null=True)
    channel = serializers.CharField(allow_blank=True, help_text="Empty: every channel.")
    point = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(IncidentState.choices)
    cause = serializers.CharField()
    started_at = Moment()
    started_by = serializers.CharField(allow_null=True)
    job = serializers.CharField(allow_blank=True, help_text="What started it by itself.")
    ended_at = Moment(allow_null=True)
    ended_by = serializers.CharField(allow_null=True)
    outcome = serializers.CharField(allow_blank=True)


def _pauses() -> QuerySet[Incident]:
    return Incident.objects.select_related("pool", "point", "started_by", "ended_by")


def _rows(query: Told) -> QuerySet[Incident]:
    return _pauses().filter(state=query["state"]) if "state" in query else _pauses()


def _pause(staff: User, told: Told) -> Written:
    code: str | None = told.get("point")
    point = found(BettingPoint.objects.all(), code=code, field="point") if code is not None else None
    channel = Channel(told["channel"]) if "channel" in told else None
    incident = pause_sales(
        cause=told["cause"], paused_by=staff, pool_code=told.get("pool"), channel=channel, point=point
    )
    return _written(incident)


def _resume(staff: User, told: Told, number: int) -> Written:
    resume_sales(incident=found(_pauses(), pk=number), outcome=told["outcome"], resumed_by=staff)
    return _written(found(_pauses(), pk=number))


def _written(incident: Incident) -> dict[str, Any]:
    return {
        "number": incident.pk,
        "pool": incident.pool.code if incident.pool is not None else None,
        "channel": incident.channel,
        "point": incident.point.code if incident.point is not None else None,
        "state": incident.state,
        "cause": incident.cause,
        "started_at": instant(incident.started_at),
        "started_by": name_of(incident.started_by),
        "job": incident.job,
        "ended_at": instant_or_none(incident.ended_at),
        "ended_by": name_of(incident.ended_by),
        "outcome": incident.outcome,
    }


DECLARED = (
    Listing(
        path="pauses",
        name="staff_pauses",
        summary="Pauses of sales, the latest first",
        tag=TAG,
        rows_name="pauses",
        row=PauseDocument,
        rows=_rows,
        write=_written,
        query=PauseQuery,
    ),
    Act(
        path="pauses",
        name="staff_sales_pause",
        summary="Pause sales: no bet that it is about is registered once this is answered",
        tag=TAG,
        body=SalesPauseBody,
        answer=PauseDocument,
        do=_pause,
        refused=(Refusal.NOT_FOUND,),
    ),
    Act(
        path="pauses/<int:number>/end",
        name="staff_sales_resume",
        summary="End a pause; sales go on unless another one stops them",
        tag=TAG,
        body=OutcomeBody,
        answer=PauseDocument,
        do=_resume,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
)
