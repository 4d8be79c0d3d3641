"""A player's own bets, with what is or was owed on each (¶35.3)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.permissions import ArePlayers
from payouts.models import Payable, PayableKind, PayableState
from payouts.queries.my_bets import IN_PLAY
from pools.api.documents import BetDocument, bet_document
from pools.models import Bet
from totalizator.core.api.bodies import read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.money import plain_byn

TAG = "Players"


class MyBetsQuery(PageQuery):
    """Which bets."""

    play = serializers.ChoiceField(
        ["active", "over"], required=False, help_text="In play, or settled or cancelled; all unless told."
    )


class Owed(serializers.Serializer[None]):
    """What is or was owed on a bet, before tax."""

    kind = serializers.ChoiceField(PayableKind.choices)
    amount = Byn()
    state = serializers.ChoiceField(PayableState.choices)


class MyBet(BetDocument):
    """A bet of mine. Its check code was told when it was placed."""

    owed = Owed(many=True)


class MyBetsPage(serializers.Serializer[None]):
    """A page of my bets, the newest first."""

    bets = MyBet(many=True)
    next = serializers.URLField(allow_null=True)


class MyBets(APIView):
    """`GET me/bets`."""

    permission_classes = (ArePlayers,)

    @described("me_bets", "My bets and what they won", tag=TAG, answers={200: MyBetsPage}, query=MyBetsQuery)
    def get(self, request: Request) -> Response:
        """Show a page of bets."""
        query = read_query(request, MyBetsQuery)
        mine = Bet.objects.filter(player=person_asking(request)).select_related("pool")
        if query.get("play") == "active":
            mine = mine.filter(pool__state__in=IN_PLAY)
        elif query.get("play") == "over":
            mine = mine.exclude(pool__state__in=IN_PLAY)
        return page_of(request, mine, "bets", _written, query=query, ordering=("-registered_at", "ticket"))


def _written(bets: list[Bet]) -> list[dict[str, Any]]:
    """Write bets with what is owed on them, read in one query."""
    owed: dict[str, list[dict[str, Any]]] = {}
    tickets = [bet.ticket for bet in bets]
    for payable in Payable.objects.filter(pool_id__in={bet.pool_id for bet in bets}, ticket__in=tickets):
        owed.setdefault(payable.ticket, []).append(_owed(payable))
    return [bet_document(bet) | {"owed": owed.get(bet.ticket, [])} for bet in bets]


def _owed(payable: Payable) -> dict[str, Any]:
    return {"kind": payable.kind, "amount": plain_byn(payable.amount), "state": payable.state}
