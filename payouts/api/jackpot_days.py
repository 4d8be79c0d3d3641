"""A jackpot's history for a chart: a point for each day on which anything moved, by kind (J1, X14)."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.ledger.kinds import TransferKind
from payouts.queries import JACKPOTS
from payouts.queries.jackpot_days import JackpotDay, jackpot_days
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn


class KindDocument(serializers.Serializer[None]):
    """What moved for one reason."""

    kind = serializers.ChoiceField(TransferKind.choices)
    amount = Byn()


class JackpotDayDocument(serializers.Serializer[None]):
    """One day: opening + what came in − what went out = closing; it opens with what the day before closed with."""

    day = serializers.DateField(help_text="In Minsk.")
    opening = Byn()
    came_in = KindDocument(many=True)
    went_out = KindDocument(many=True)
    closing = Byn()


class JackpotDaysDocument(serializers.Serializer[None]):
    """Every day on which anything moved, from the first of all."""

    game = serializers.ChoiceField(JACKPOTS)
    days = JackpotDayDocument(many=True)


class JackpotDays(PublicRead):
    """`GET jackpots/{game}/days`."""

    @described(
        "jackpot_days",
        "A jackpot's whole history day by day, each kind of move by itself",
        tag="Money in public",
        answers={200: JackpotDaysDocument},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about="What the page `/jackpot/{game}/` shows as a chart and as a table.",
    )
    def get(self, request: Request, game: str) -> Response:  # noqa: ARG002
        """Show it."""
        if game not in JACKPOTS:
            raise Http404
        return Response({"game": game, "days": [_day(day) for day in jackpot_days(game)]})


def _day(day: JackpotDay) -> dict[str, Any]:
    return {
        "day": day.day.isoformat(),
        "opening": plain_byn(day.opening),
        "came_in": _kinds(day.came_in),
        "went_out": _kinds(day.went_out),
        "closing": plain_byn(day.closing),
    }


def _kinds(sums: Mapping[TransferKind, int]) -> list[dict[str, str]]:
    return [{"kind": str(kind), "amount": plain_byn(amount)} for kind, amount in sums.items()]
