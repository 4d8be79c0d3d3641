"""Those who know too much to play: listed and taken off the list (E6). Of a person only a digest is kept."""

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import StaffReasonBody, found, name_of
from accounts.models import Insider, InsiderKind, User
from accounts.services.insiders import end_insider, list_insider
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Moment, instant, instant_or_none
from totalizator.core.errors import Refusal

TAG = "Staff: insiders"


class InsiderBody(Body):
    """Who may not play, and why; `username` is their own log-in, where they have one."""

    identity_number = Text(max_length=40)
    kind = serializers.ChoiceField(InsiderKind.choices)
    username = Text(required=False, max_length=150)


class InsiderDocument(serializers.Serializer[None]):
    """Somebody on the list, without the number."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(InsiderKind.choices)
    username = serializers.CharField(allow_null=True)
    listed_by = serializers.CharField()
    listed_at = Moment()
    ended_at = Moment(allow_null=True)


def _list(staff: User, told: Told) -> Written:
    name = told.get("username")
    user = found(User.objects.all(), username=name, field="username") if name is not None else None
    kind = InsiderKind(told["kind"])
    return _written(list_insider(identity_number=told["identity_number"], kind=kind, listed_by=staff, user=user))


def _end(staff: User, told: Told, number: int) -> Written:
    insider = found(_insiders(), pk=number)
    end_insider(insider=insider, reason=told["reason"], ended_by=staff)
    return _written(found(_insiders(), pk=number))


def _insiders() -> QuerySet[Insider]:
    return Insider.objects.select_related("user", "listed_by")


def _written(insider: Insider) -> Written:
    return {
        "number": insider.pk,
        "kind": insider.kind,
        "username": name_of(insider.user),
        "listed_by": insider.listed_by.username,
        "listed_at": instant(insider.listed_at),
        "ended_at": instant_or_none(insider.ended_at),
    }


DECLARED = (
    Listing(
        path="insiders",
        name="staff_insiders",
        summary="Those who may not play, the latest first",
        tag=TAG,
        rows_name="insiders",
        row=InsiderDocument,
        rows=lambda _query: _insiders(),
        write=_written,
    ),
    Act(
        path="insiders",
        name="staff_insider_list",
        summary="List somebody who may not play: a player with this number is barred at once",
        tag=TAG,
        body=InsiderBody,
        answer=InsiderDocument,
        do=_list,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    ),
    Act(
        path="insiders/<int:number>/end",
        name="staff_insider_end",
        summary="Take somebody off the list",
        tag=TAG,
        body=StaffReasonBody,
        answer=InsiderDocument,
        do=_end,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
        status=200,
    ),
)
