"""Open data of the jackpots: every move since the first, by pages and as one table (X14, J1)."""

from typing import Any

from django.http import Http404, HttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from payouts.api.money import JackpotMoveDocument, move_document
from payouts.queries import JACKPOTS, jackpot_history
from totalizator.core.api.bodies import Body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.open_data import OpenDocument, OpenRead, opened
from totalizator.core.errors import Refusal

TAG = "Open data"
MOST_MOVES = 200
COLUMNS = ("number", "pool", "at", "opening", "came_in", "went_out", "closing")


class MovesQuery(Body):
    """From where."""

    after = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class NumberedMove(JackpotMoveDocument):
    """A move with its number, from 1, which it keeps."""

    number = serializers.IntegerField()


class OpenJackpot(OpenDocument):
    """A jackpot's moves after number `after`; go on after the last one."""

    game = serializers.CharField()
    moves = NumberedMove(many=True)
    more = serializers.BooleanField()


class OpenJackpots(OpenRead):
    """`GET open-data/jackpots/{game}`."""

    @described(
        "open_jackpot",
        "Every move of a jackpot, the oldest first",
        tag=TAG,
        answers={200: OpenJackpot},
        query=MovesQuery,
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, game: str) -> Response:
        """Show them."""
        after = read_query(request, MovesQuery).get("after", 0)
        moves = _numbered(game)
        page = moves[after : after + MOST_MOVES]
        return Response(opened({"game": game, "moves": page, "more": after + MOST_MOVES < len(moves)}))


class OpenJackpotTable(OpenRead):
    """`GET open-data/jackpots/{game}.csv`."""

    @described(
        "open_jackpot_table",
        "Every move of a jackpot, one table",
        tag=TAG,
        answers={(200, "text/csv"): {"type": "string"}},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, game: str) -> HttpResponse:  # noqa: ARG002
        """Send it."""
        rows = ([move[column] for column in COLUMNS] for move in _numbered(game))
        return self.table(f"jackpot-{game}", COLUMNS, rows)


def _numbered(game: str) -> list[dict[str, Any]]:
    if game not in JACKPOTS:
        raise Http404
    return [{"number": number, **move_document(move)} for number, move in enumerate(jackpot_history(game), start=1)]
