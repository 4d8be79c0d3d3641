"""A player's own limits and pauses (P1, P2): lowered at once, raised after a day, and nobody can shorten a pause."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.models import ExclusionKind, LimitKind, LimitPeriod, LimitRaise, Person, PlayLimit
from accounts.permissions import ArePlayers
from accounts.services.exclusion import cool_off, exclude_oneself
from accounts.services.limits import ask_to_remove_limit, confirm_raise, set_limit
from accounts.services.persons import person_of
from totalizator.core.api.bodies import Amount, Body, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Players"


class LimitBody(Body):
    """A limit to be set."""

    kind = serializers.ChoiceField(LimitKind.choices)
    period = serializers.ChoiceField(LimitPeriod.choices)
    amount = Amount(help_text="`0` stops it altogether.")


class WhichLimit(Body):
    """A limit, named."""

    kind = serializers.ChoiceField(LimitKind.choices)
    period = serializers.ChoiceField(LimitPeriod.choices)


class PauseBody(Body):
    """A pause: days of cooling-off, or months of self-exclusion."""

    days = serializers.IntegerField(required=False, min_value=1, max_value=1_000)
    months = serializers.IntegerField(required=False, min_value=1, max_value=1_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return one of the two; :raises ValidationError: for both and for neither."""
        if len(attrs) != 1:
            raise serializers.ValidationError({"days": ["Give either days or months."]})
        return attrs


class LimitInForce(serializers.Serializer[None]):
    """A limit."""

    kind = serializers.ChoiceField(LimitKind.choices)
    period = serializers.ChoiceField(LimitPeriod.choices)
    amount = Byn()
    set_at = Moment()


class WaitingRaise(serializers.Serializer[None]):
    """A wish that can be confirmed from `ready_at` on; `amount` null: to remove the limit."""

    kind = serializers.ChoiceField(LimitKind.choices)
    period = serializers.ChoiceField(LimitPeriod.choices)
    amount = Byn(allow_null=True)
    ready_at = Moment()


class MyLimits(serializers.Serializer[None]):
    """The limits in force, and what waits."""

    limits = LimitInForce(many=True)
    waiting = WaitingRaise(many=True)


class Pause(serializers.Serializer[None]):
    """A pause from play."""

    kind = serializers.ChoiceField(ExclusionKind.choices)
    begins_at = Moment()
    ends_at = Moment()


class Limits(APIView):
    """`me/limits`."""

    permission_classes = (ArePlayers,)

    @described("limits", "My limits", tag=TAG, answers={200: MyLimits})
    def get(self, request: Request) -> Response:
        """Show the limits in force and the raises that wait."""
        return _shown(person_of(person_asking(request)))

    @described(
        "limit_set",
        "Set a limit: new or lower at once, higher after a day and a second yes",
        tag=TAG,
        answers={200: MyLimits},
        body=LimitBody,
    )
    def put(self, request: Request) -> Response:
        """Set a limit; the same again changes nothing."""
        wish = read_body(request, LimitBody)
        player = person_asking(request)
        person = person_of(player)
        set_limit(
            person=person,
            kind=LimitKind(wish["kind"]),
            period=LimitPeriod(wish["period"]),
            amount=wish["amount"],
            actor=player.actor,
        )
        return _shown(person)


class LimitRemovals(APIView):
    """`POST me/limits/removals`."""

    permission_classes = (ArePlayers,)

    @described(
        "limit_remove",
        "Ask to have a limit removed",
        tag=TAG,
        answers={200: MyLimits},
        body=WhichLimit,
        refused=(Refusal.NOT_FOUND,),
    )
    def post(self, request: Request) -> Response:
        """Ask; it is removed once that is confirmed."""
        which, player = read_body(request, WhichLimit), person_asking(request)
        person = person_of(player)
        kind, period = LimitKind(which["kind"]), LimitPeriod(which["period"])
        ask_to_remove_limit(person=person, kind=kind, period=period, actor=player.actor)
        return _shown(person)


class LimitConfirmations(APIView):
    """`POST me/limits/confirmations`."""

    permission_classes = (ArePlayers,)

    @described(
        "limit_confirm",
        "Confirm a raise or a removal that has waited long enough",
        tag=TAG,
        answers={200: MyLimits},
        body=WhichLimit,
        refused=(Refusal.NOT_FOUND, Refusal.WRONG_STATE),
    )
    def post(self, request: Request) -> Response:
        """Confirm what waits."""
        which, player = read_body(request, WhichLimit), person_asking(request)
        person = person_of(player)
        kind, period = LimitKind(which["kind"]), LimitPeriod(which["period"])
        confirm_raise(person=person, kind=kind, period=period, actor=player.actor)
        return _shown(person)


class Pauses(APIView):
    """`POST me/pauses`."""

    permission_classes = (ArePlayers,)

    @described(
        "pause",
        "Keep me from play: for days, or for 6 to 36 months",
        tag=TAG,
        answers={201: Pause},
        body=PauseBody,
        about="It begins now, binds in every channel, and cannot be taken back. Money can still be withdrawn.",
    )
    def post(self, request: Request) -> Response:
        """Begin a pause."""
        wish, player = read_body(request, PauseBody), person_asking(request)
        person = person_of(player)
        if "days" in wish:
            pause = cool_off(person=person, days=wish["days"], actor=player.actor)
        else:
            pause = exclude_oneself(person=person, months=wish["months"], actor=player.actor)
        told = {"kind": pause.kind, "begins_at": instant(pause.begins_at), "ends_at": instant(pause.ends_at)}
        return Response(told, status=201)


def _shown(person: Person) -> Response:
    limits = [
        {"kind": limit.kind, "period": limit.period, "amount": plain_byn(limit.amount), "set_at": instant(limit.set_at)}
        for limit in PlayLimit.objects.filter(person=person).order_by("kind", "period")
    ]
    waiting = [
        {
            "kind": wish.kind,
            "period": wish.period,
            "amount": plain_byn(wish.amount) if wish.amount is not None else None,
            "ready_at": instant(wish.ready_at),
        }
        for wish in LimitRaise.objects.filter(person=person).order_by("kind", "period")
    ]
    return Response({"limits": limits, "waiting": waiting})
