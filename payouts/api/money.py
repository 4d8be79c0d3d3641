"""What anyone may read of money, over the API: a pool's certificate, the jackpots and their history."""

from typing import Any

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from payouts.queries import JACKPOTS, JackpotMove, MoneyCertificate, jackpot_balance, jackpot_history, money_certificate
from pools.api.pools import announced
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PublicRead
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Money in public"
LATEST_MOVES = 500


class FigureDocument(serializers.Serializer[None]):
    """One sum, counted twice."""

    name = serializers.CharField()
    ledger = Byn()
    stated = Byn(help_text="By the statement, or by the rows of bets and payables.")
    agrees = serializers.BooleanField()


class CertificateDocument(serializers.Serializer[None]):
    """Where every kopeck of a pool went: came_in = went_out, nothing is left, and every figure agrees."""

    pool = serializers.CharField()
    holds = serializers.BooleanField()
    came_in = Byn()
    went_out = Byn()
    left = Byn()
    figures = FigureDocument(many=True)


class JackpotDocument(serializers.Serializer[None]):
    """What a jackpot holds now."""

    game = serializers.ChoiceField(JACKPOTS)
    amount = Byn()


class JackpotList(serializers.Serializer[None]):
    """The jackpots."""

    jackpots = JackpotDocument(many=True)


class JackpotMoveDocument(serializers.Serializer[None]):
    """What one pool, or the organizer, did to the jackpot; each move opens with what the one before closed with."""

    pool = serializers.CharField(allow_blank=True, help_text="Empty: the organizer.")
    at = Moment()
    opening = Byn()
    came_in = Byn()
    went_out = Byn()
    closing = Byn()


class JackpotHistory(serializers.Serializer[None]):
    """The latest moves, from the oldest."""

    game = serializers.CharField()
    amount = Byn()
    moves = JackpotMoveDocument(many=True)


class PoolCertificate(PublicRead):
    """`GET pools/{code}/certificate`."""

    @described(
        "certificate",
        "Where every kopeck of a settled or cancelled pool went",
        tag=TAG,
        answers={200: CertificateDocument},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
    )
    def get(self, request: Request, code: str) -> Response:  # noqa: ARG002
        """Show the certificate."""
        proved = money_certificate(announced(code))
        if proved is None:
            raise Http404
        return Response(_certificate(proved))


class Jackpots(PublicRead):
    """`GET jackpots`."""

    @described("jackpots", "What the jackpots hold", tag=TAG, answers={200: JackpotList}, public=True, cached=True)
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Show them."""
        held = [{"game": game, "amount": plain_byn(jackpot_balance(game))} for game in JACKPOTS]
        return Response({"jackpots": held})


class JackpotMoves(PublicRead):
    """`GET jackpots/{game}`."""

    @described(
        "jackpot_history",
        "A jackpot's history, pool by pool",
        tag=TAG,
        answers={200: JackpotHistory},
        refused=(Refusal.NOT_FOUND,),
        public=True,
        cached=True,
        about=f"The latest {LATEST_MOVES} moves; `opening` of the first is what it held before them.",
    )
    def get(self, request: Request, game: str) -> Response:  # noqa: ARG002
        """Show it."""
        if game not in JACKPOTS:
            raise Http404
        moves = [move_document(move) for move in jackpot_history(game)[-LATEST_MOVES:]]
        return Response({"game": game, "amount": plain_byn(jackpot_balance(game)), "moves": moves})


def _certificate(proved: MoneyCertificate) -> dict[str, Any]:
    return {
        "pool": proved.pool,
        "holds": proved.holds,
        "came_in": plain_byn(proved.came_in),
        "went_out": plain_byn(proved.went_out),
        "left": plain_byn(proved.left),
        "figures": [
            {
                "name": name,
                "ledger": plain_byn(figure.ledger),
                "stated": plain_byn(figure.stated),
                "agrees": figure.agrees,
            }
            for name, figure in proved.figures.items()
        ],
    }


def move_document(move: JackpotMove) -> dict[str, Any]:
    """Write one move of a jackpot."""
    return {
        "pool": move.pool,
        "at": instant(move.at),
        "opening": plain_byn(move.opening),
        "came_in": plain_byn(move.came_in),
        "went_out": plain_byn(move.went_out),
        "closing": plain_byn(move.closing),
    }
