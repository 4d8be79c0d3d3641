"""Bets over the API: one, many in one call, one by a prepaid card, and what one would cost."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.deposits import CardBody
from accounts.api.desk import DESK_MAY_NOT_SELL
from accounts.api.persons import PersonBody, person_shown
from accounts.models import Role
from accounts.permissions import CanPlaceBets, own_account, role_of, terminal_of
from pools.api.documents import PlacedBetDocument, placed_document
from pools.api.pools import TAG, announced
from pools.services.betting import PlacedBet, place_bet
from pools.services.quoting import quote_coupon
from pools.services.sources import BetSource, from_account, from_card, from_terminal, from_till
from totalizator.core.api.bodies import Amount, Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn
from totalizator.core.throttle import network_subject

BAD_COUPON = (Refusal.BAD_SELECTION, Refusal.BAD_STAKE, Refusal.TOO_MANY_LINES)
BET_REFUSED = (
    *BAD_COUPON,
    *DESK_MAY_NOT_SELL,
    Refusal.NOT_OPEN_YET,
    Refusal.POOL_CLOSED,
    Refusal.SALES_PAUSED,
    Refusal.INSUFFICIENT_FUNDS,
    Refusal.ACCOUNT_BLOCKED,
    Refusal.MAY_NOT_PLAY,
    Refusal.REGISTER_STALE,
    Refusal.NOT_VERIFIED,
    Refusal.UNDER_AGE,
    Refusal.CONSENT_NEEDED,
    Refusal.LIMIT_REACHED,
    Refusal.NOT_ALLOWED,
    Refusal.IDENTITY_NEEDED,
)
"""Every refusal of a bet, whichever channel it comes through."""
MOST_TEXT = 10_000


class CouponBody(Body):
    """A coupon: conditions in announced order joined by `;`, several marks of one joined by `+`: `1;X;1+2`."""

    selections = Text(max_length=MOST_TEXT)


class BetBody(CouponBody):
    """A bet: the coupon and the whole stake; at a desk, who showed a document and plays within limits (X15)."""

    stake = Amount()
    person = PersonBody(required=False)


class CardBetBody(CouponBody):
    """A bet and the card that pays for it."""

    stake = Amount()
    card = CardBody()


class QuoteDocument(serializers.Serializer[None]):
    """What a coupon is and costs: a `price`, or where the player chooses, the least and the most."""

    selections = serializers.CharField()
    lines = serializers.IntegerField()
    price = Byn(allow_null=True)
    least = Byn(allow_null=True)
    most = Byn(allow_null=True)
    one_line = Byn(allow_null=True, help_text="The price of one line.")


class PoolBets(APIView):
    """`POST pools/{code}/bets`: 201 for a new ticket, 200 when the same request came before (C36-C38)."""

    permission_classes = (CanPlaceBets,)

    @described(
        "bet",
        "Place a bet: from my account, or for cash at the cashier's till or terminal",
        tag=TAG,
        answers={201: PlacedBetDocument, 200: PlacedBetDocument},
        body=BetBody,
        keyed=True,
        refused=(*BET_REFUSED, Refusal.NOT_FOUND),
    )
    def post(self, request: Request, code: str) -> Response:
        """Place a bet."""
        key, bet = idempotency_key(request), read_body(request, BetBody)
        source = source_asking(request, bet.pop("person", None))
        return answer_placed(place_bet(pool_code=code, **bet, source=source, idempotency_key=key))


class CardBets(APIView):
    """`POST pools/{code}/card-bets`."""

    permission_classes = (AllowAny,)

    @described(
        "card_bet",
        "Place a bet that a prepaid card pays for; whoever has the card may",
        tag=TAG,
        answers={201: PlacedBetDocument, 200: PlacedBetDocument},
        body=CardBetBody,
        keyed=True,
        refused=(*BET_REFUSED, Refusal.NOT_FOUND, Refusal.CARD_REFUSED),
        about="Nobody need be logged in. Of who is, the limits bind; at a desk the desk's rules do.",
    )
    def post(self, request: Request, code: str) -> Response:
        """Place a bet."""
        key, bet = idempotency_key(request), read_body(request, CardBetBody)
        announced(code)
        terminal = terminal_of(request)
        # Of a terminal everybody at its place has the network.
        subjects = [network_subject(request._request)] if terminal is None else []
        asking = person_asking(request) if role_of(request) is not None else None
        source = from_card(
            **bet.pop("card"), asked_by=asking, terminal=terminal, subjects=subjects, idempotency_key=key
        )
        return answer_placed(place_bet(pool_code=code, **bet, source=source, idempotency_key=key))


class Quotes(APIView):
    """`POST pools/{code}/quote`."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @described(
        "quote",
        "Lines and price of a coupon, without placing it",
        tag=TAG,
        answers={200: QuoteDocument},
        body=CouponBody,
        public=True,
        refused=(Refusal.BAD_SELECTION, Refusal.TOO_MANY_LINES, Refusal.NOT_FOUND),
    )
    def post(self, request: Request, code: str) -> Response:
        """Price a coupon."""
        selections, pool = read_body(request, CouponBody)["selections"], announced(code)
        quote, price = quote_coupon(pool, selections), pool.terms.price
        told = {"price": quote.price, "least": price.least, "most": price.most, "one_line": price.line}
        amounts = {name: plain_byn(amount) if amount is not None else None for name, amount in told.items()}
        return Response({"selections": quote.coupon.selections, "lines": quote.coupon.lines, **amounts})


def source_asking(request: Request, shown: dict[str, Any] | None = None) -> BetSource:
    """Return what pays for a bet of who asks: a terminal's or cashier's till, or the player's account.

    `shown` is the document of who stands at the desk; of a player one is not asked.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE, UNDER_AGE of the document.
    """
    terminal = terminal_of(request)
    if terminal is not None:
        return from_terminal(terminal, person_shown(shown))
    person = person_asking(request)
    if person.role == Role.CASHIER:
        return from_till(person, person_shown(shown))
    source = from_account(person, own_account(request))
    refuse_document_of_player(source, shown)
    return source


def refuse_document_of_player(source: BetSource, shown: dict[str, Any] | None) -> None:
    """Refuse a document where no desk asks for one.

    :raises DomainError: BAD_VALUE.
    """
    if shown is not None and source.till is None:
        raise DomainError(Refusal.BAD_VALUE, _("Only a desk asks for a document."), field="person")


def answer_placed(placed: PlacedBet) -> Response:
    return Response(placed_document(placed), status=status_of_placed(placed))


def status_of_placed(placed: PlacedBet) -> int:
    return 200 if placed.replayed else 201
