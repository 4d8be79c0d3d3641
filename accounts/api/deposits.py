"""Money onto one's own account: from a prepaid card, or begun at a payment system (¶35)."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_asking, person_asking
from accounts.models import Currency, TopUp, TopUpWay
from accounts.permissions import ArePlayers
from accounts.services.provider_deposits import begin_deposit
from accounts.services.topups import top_up_by_card
from totalizator.core.api.bodies import Amount, Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn
from totalizator.core.throttle import network_subject

TAG = "Money of players"
NOT_CREDITED = (Refusal.ACCOUNT_BLOCKED, Refusal.MAY_NOT_PLAY, Refusal.REGISTER_STALE, Refusal.LIMIT_REACHED)
"""What bars a player from paying in (P1, P2)."""


class CardBody(Body):
    """A prepaid card: all three together, as printed."""

    series = Text(max_length=20)
    number = Text(max_length=40)
    code = Text(max_length=60)


class CardDepositBody(Body):
    """A card, and how much of it."""

    card = CardBody()
    amount = Amount(required=False, help_text="All that is left on the card unless told.")


class BeginDepositBody(Body):
    """What is to be paid at a payment system."""

    provider = Text(max_length=20)
    currency = serializers.ChoiceField(Currency.choices)
    amount = Amount(help_text="In the currency.")
    return_to = serializers.URLField(max_length=500, help_text="Where the player's browser goes afterwards.")


class Credited(serializers.Serializer[None]):
    """A credited payment."""

    way = serializers.ChoiceField(TopUpWay.choices)
    reference = serializers.CharField()
    amount = Byn()
    credited_at = Moment()


class Begun(serializers.Serializer[None]):
    """A deposit that was begun; it is on the account once the payment system has the money."""

    reference = serializers.CharField()
    pay_at = serializers.CharField(help_text="The address at which the player pays.")
    worth = Byn(help_text="By today's rate; that of the day on which the money comes counts.")


class CardDeposits(APIView):
    """`POST me/deposits/card`."""

    permission_classes = (ArePlayers,)

    @described(
        "deposit_by_card",
        "Move money from a prepaid card onto my account",
        tag=TAG,
        answers={201: Credited},
        body=CardDepositBody,
        keyed=True,
        refused=(*NOT_CREDITED, Refusal.CARD_REFUSED, Refusal.INSUFFICIENT_FUNDS),
    )
    def post(self, request: Request) -> Response:
        """Credit it once."""
        key, wish = idempotency_key(request), read_body(request, CardDepositBody)
        top_up = top_up_by_card(
            player=person_asking(request),
            **wish["card"],
            amount=wish.get("amount"),
            idempotency_key=key,
            subjects=[network_subject(request._request)],
        )
        return Response(credited(top_up), status=201)


class Deposits(APIView):
    """`POST me/deposits`."""

    permission_classes = (ArePlayers,)

    @described(
        "deposit_begin",
        "Begin a deposit at a payment system",
        tag=TAG,
        answers={201: Begun},
        body=BeginDepositBody,
        refused=(*NOT_CREDITED, Refusal.NOT_FOUND, Refusal.RATE_STALE, Refusal.PROVIDER_AWAY),
        about="No money moves by it: a deposit that nobody pays stays begun. So it needs no Idempotency-Key.",
    )
    def post(self, request: Request) -> Response:
        """Begin it, and say where it is paid."""
        wish = read_body(request, BeginDepositBody)
        begun = begin_deposit(
            account=account_asking(request),
            provider=wish["provider"],
            amount=wish["amount"],
            currency=Currency(wish["currency"]),
            return_to=wish["return_to"],
        )
        told = {"reference": begun.deposit.reference, "pay_at": begun.pay_at, "worth": plain_byn(begun.worth)}
        return Response(told, status=201)


def credited(top_up: TopUp) -> dict[str, Any]:
    """Write a credited payment."""
    return {
        "way": top_up.way,
        "reference": top_up.reference,
        "amount": plain_byn(top_up.amount),
        "credited_at": instant(top_up.credited_at),
    }
