"""Bets to be paid by transfer: ordered first, then paid with a reference before the pool closes (¶9.8)."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import person_asking
from accounts.api.persons import PersonBody, person_shown
from accounts.models import OwnBankAccount, Person, Role
from accounts.permissions import CanOrderBets
from accounts.queries.standing import standing_of
from accounts.services.persons import person_of
from accounts.services.standing import refuse_barred
from pools.api.betting import BAD_COUPON, CouponBody
from pools.api.pools import announced
from pools.models import BetOrder, BetOrderState
from pools.services.bet_orders import Payer, make_bet_order, reference_of
from totalizator.core import clock
from totalizator.core.api.bodies import Amount, Text, idempotency_key, read_body, read_query
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery, page_of
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.money import plain_byn

TAG = "Bets by transfer"


class OrderBody(CouponBody):
    """A bet and who will pay for it."""

    stake = Amount()
    payer_name = Text(max_length=140, help_text="As the bank knows the payer.")
    payer_account = Text(max_length=60, help_text="IBAN. What is won or refused goes back there (¶41).")
    consent = serializers.BooleanField(help_text="The payer agreed to the rules that the pool is under (¶9.9).")
    person = PersonBody(required=False, help_text="At a desk: who shows a document, and plays. A desk must ask.")


class OrderQuery(PageQuery):
    """Which orders."""

    state = serializers.ChoiceField(BetOrderState.choices, required=False)


class Payee(serializers.Serializer[None]):
    """An account of the organizer's; a transfer to any of them is found."""

    holder = serializers.CharField()
    account = serializers.CharField(help_text="IBAN")
    bank = serializers.CharField(help_text="BIC")


class OrderDocument(serializers.Serializer[None]):
    """An order: what to pay, to whom, with which reference, until when; and the bet once it is one."""

    number = serializers.IntegerField()
    reference = serializers.CharField(help_text="To be written into the transfer's purpose: `BET-00000001-89`.")
    pool = serializers.CharField()
    selections = serializers.CharField()
    amount = Byn(help_text="In full, in one transfer.")
    pay_before = Moment(help_text="Exclusive. The money must have come, and been looked at, before then.")
    payees = Payee(many=True)
    made_at = Moment()
    state = serializers.ChoiceField(BetOrderState.choices)
    ticket = serializers.CharField(allow_null=True)


class OrderPage(serializers.Serializer[None]):
    """A page of orders, the newest first."""

    orders = OrderDocument(many=True)
    next = serializers.URLField(allow_null=True)


class PoolOrders(APIView):
    """`POST pools/{code}/bet-orders`."""

    permission_classes = (CanOrderBets,)

    @described(
        "bet_order",
        "Order a bet that is to be paid by transfer, for myself or for who stands at my desk",
        tag=TAG,
        answers={201: OrderDocument},
        body=OrderBody,
        keyed=True,
        refused=(
            *BAD_COUPON,
            Refusal.NOT_FOUND,
            Refusal.NOT_OPEN_YET,
            Refusal.POOL_CLOSED,
            Refusal.CONSENT_NEEDED,
            Refusal.UNDER_AGE,
            Refusal.ACCOUNT_BLOCKED,
            Refusal.MAY_NOT_PLAY,
            Refusal.REGISTER_STALE,
            Refusal.WRONG_STATE,
        ),
        about="The order is no bet. It becomes one when the whole amount has come with the reference, before the pool"
        " closes by the database's clock; everything that forbids a bet is asked then.",
    )
    def post(self, request: Request, code: str) -> Response:
        """Note it once."""
        key, wish = idempotency_key(request), read_body(request, OrderBody)
        announced(code)
        payees = _payees()
        if not payees:
            raise DomainError(Refusal.WRONG_STATE, _("The organizer has no bank account that takes transfers."))
        player = _who_plays(request, wish.get("person"))
        refuse_barred(standing_of(player, clock.now()), clock.now())
        order = make_bet_order(
            pool_code=code,
            selections=wish["selections"],
            stake=wish["stake"],
            payer=Payer(name=wish["payer_name"], account=wish["payer_account"], person=player),
            consent=wish["consent"],
            actor=person_asking(request).actor,
            idempotency_key=key,
        )
        return Response(_document(order, payees), status=201)


class BetOrders(APIView):
    """`GET bet-orders`."""

    permission_classes = (CanOrderBets,)

    @described(
        "bet_orders",
        "My orders, or those that I took at my desk",
        tag=TAG,
        answers={200: OrderPage},
        query=OrderQuery,
    )
    def get(self, request: Request) -> Response:
        """Show a page of them."""
        query, payees = read_query(request, OrderQuery), _payees()
        orders = _seen_by(request)
        if "state" in query:
            orders = orders.filter(state=query["state"])

        def written(rows: list[BetOrder]) -> list[dict[str, Any]]:
            return [_document(row, payees) for row in rows]

        return page_of(request, orders, "orders", written, query=query, ordering=("-made_at", "-pk"))


def _who_plays(request: Request, shown: dict[str, Any] | None) -> Person:
    """Return the player, or who shows a document at the desk.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE where a desk asked nobody, or a player shows a document; UNDER_AGE.
    """
    asking = person_asking(request)
    if asking.role == Role.PLAYER:
        if shown is not None:
            raise DomainError(Refusal.BAD_VALUE, _("Only a desk asks for a document."), field="person")
        return person_of(asking)
    person = person_shown(shown)
    if person is None:
        raise DomainError(Refusal.BAD_VALUE, _("Ask who plays for a document first."), field="person")
    return person


def _seen_by(request: Request) -> QuerySet[BetOrder]:
    """Return the orders that who asks made, and a player also those made for the player at a desk."""
    asking = person_asking(request)
    mine = Q(made_by=asking.actor)
    if asking.role == Role.PLAYER:
        mine |= Q(person=person_of(asking))
    return BetOrder.objects.select_related("pool").filter(mine)


def _payees() -> list[dict[str, str]]:
    accounts = OwnBankAccount.objects.order_by("pk")
    return [{"holder": each.holder, "account": each.iban, "bank": each.bank} for each in accounts]


def _document(order: BetOrder, payees: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "number": order.pk,
        "reference": str(reference_of(order)),
        "pool": order.pool.code,
        "selections": order.selections,
        "amount": plain_byn(order.stake),
        "pay_before": instant(order.pool.closes_at),
        "payees": payees,
        "made_at": instant(order.made_at),
        "state": order.state,
        "ticket": order.ticket,
    }
