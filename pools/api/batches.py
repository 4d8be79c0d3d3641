"""Many bets in one call over the API, each read, judged and answered by itself."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.persons import PersonBody, person_shown
from accounts.permissions import CanPlaceBets
from pools.api.betting import (
    BET_REFUSED,
    MOST_TEXT,
    CouponBody,
    refuse_document_of_player,
    source_asking,
    status_of_placed,
)
from pools.api.documents import placed_document
from pools.api.pools import TAG, announced
from pools.services.batches import MOST_BETS, WantedBet, place_bets
from pools.services.betting import PlacedBet
from pools.services.sources import BetSource
from totalizator.core.api.bodies import AMOUNT, KEY, Amount, Text
from totalizator.core.api.described import described, problem_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import MAX_KEY_LENGTH
from totalizator.core.problem import invalid, problem

Fault = DomainError | serializers.ValidationError
"""What a bet of a batch is refused with."""


class KeyedBetBody(CouponBody):
    """A bet of a batch, with its own key."""

    stake = Amount()
    person = PersonBody(required=False)
    idempotency_key = Text(max_length=MAX_KEY_LENGTH)


_BATCH_BODY: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["bets"],
    "properties": {
        "bets": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_BETS,
            "description": "Members as of a single bet, and `idempotency_key`. Each is judged by itself.",
            "items": {
                "anyOf": [
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["selections", "stake", "idempotency_key"],
                        "properties": {
                            "selections": {"type": "string", "minLength": 1, "maxLength": MOST_TEXT},
                            "stake": {"type": "string", "pattern": AMOUNT},
                            "person": {"$ref": "#/components/schemas/PersonBody"},
                            "idempotency_key": KEY,
                        },
                    },
                    {"description": "Whatever else stands here is answered with a problem of its own."},
                ]
            },
        }
    },
}
_BATCH_ANSWER: dict[str, Any] = {
    "type": "object",
    "required": ["answers"],
    "properties": {
        "answers": {
            "type": "array",
            "description": "One for each bet, in their order.",
            "items": {
                "type": "object",
                "required": ["status"],
                "description": "`status` is what the bet alone would have been answered with; `bet` or `problem`.",
                "properties": {
                    "status": {"type": "integer"},
                    "bet": {"$ref": "#/components/schemas/PlacedBetDocument"},
                    "problem": problem_of([*BET_REFUSED, Refusal.BAD_VALUE, Refusal.KEY_REUSED, Refusal.BUSY]),
                },
            },
        }
    },
}


class PoolBatches(APIView):
    """`POST pools/{code}/bets/batch`."""

    permission_classes = (CanPlaceBets,)

    @described(
        "bets_batch",
        f"Place up to {MOST_BETS} bets in one call, each answered by itself",
        tag=TAG,
        answers={200: _BATCH_ANSWER},
        body=_BATCH_BODY,
        refused=(Refusal.NOT_FOUND,),
        about="Each bet has its own `idempotency_key` in place of the header. The same call again, in whole or in part,"
        " gives every bet that was placed its first ticket.",
    )
    def post(self, request: Request, code: str) -> Response:
        """Place each, or say why not."""
        announced(code)
        form = KeyedBetBody()
        source = source_asking(request)
        wanted = [_read(form, item, source) for item in _items(request.data)]
        right = [bet for bet in wanted if isinstance(bet, WantedBet)]
        placed = iter(place_bets(pool_code=code, wanted=right, source=source))
        answers = [_item_answer(next(placed) if isinstance(bet, WantedBet) else bet) for bet in wanted]
        return Response({"answers": answers})


def _items(batch: Any) -> list[Any]:
    """Return the bets of a batch; :raises ValidationError: for a body that holds none, too many, or anything else."""
    bets = batch.get("bets") if isinstance(batch, dict) and set(batch) <= {"bets"} else None
    if not isinstance(bets, list) or not 1 <= len(bets) <= MOST_BETS:
        message = _("Send nothing but `bets`: a list of 1 to %(most)s bets.") % {"most": MOST_BETS}
        raise serializers.ValidationError({"bets": [message]})
    return bets


def _read(form: KeyedBetBody, item: Any, source: BetSource) -> WantedBet | Fault:
    """Return the bet, or what is wrong with its form or with the document that was shown for it."""
    try:
        bet = form.run_validation(item)
        shown = bet.pop("person", None)
        refuse_document_of_player(source, shown)
        return WantedBet(**bet, person=person_shown(shown))
    except (serializers.ValidationError, DomainError) as fault:
        return fault


def _item_answer(outcome: PlacedBet | Fault) -> dict[str, Any]:
    if isinstance(outcome, PlacedBet):
        return {"status": status_of_placed(outcome), "bet": placed_document(outcome)}
    told = problem(outcome) if isinstance(outcome, DomainError) else invalid(outcome)
    return {"status": told["status"], "problem": told}
