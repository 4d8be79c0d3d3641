"""A cashier's desk over the API: the shift, cards sold for cash, cash onto accounts. Bets and payments stand above."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.callers import account_named, person_asking, till_asking
from accounts.api.deposits import NOT_CREDITED, Credited, credited
from accounts.api.persons import PersonBody, person_shown
from accounts.ledger.balances import balance
from accounts.models import Shift
from accounts.permissions import AreCashiers, terminal_of
from accounts.services.card_sale import sell_card
from accounts.services.shifts import close_shift, open_shift, open_shift_of
from accounts.services.topups import top_up_in_cash
from totalizator.core.api.bodies import Amount, Body, Text, idempotency_key, read_body
from totalizator.core.api.described import described
from totalizator.core.api.documents import Byn, Moment, instant, instant_or_none
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import do_once, fingerprint_of
from totalizator.core.money import plain_byn

TAG = "Desks"
DESK_MAY_NOT_SELL = (
    Refusal.SWITCHED_OFF,
    Refusal.NO_OPEN_SHIFT,
    Refusal.NOT_CERTIFIED,
    Refusal.LINK_LOST,
    Refusal.CASH_LIMIT,
)
"""What keeps a desk from selling (¶7, ¶9.4, ¶9.6, G5)."""


class CountBody(Body):
    """What was counted in the till."""

    counted = Amount()
    reason = Text(
        required=False, allow_blank=True, max_length=500, help_text="Of a difference, needed if there is one."
    )


class CardSaleBody(Body):
    """A card of the point's stock, and who showed a document, which a large face value needs."""

    series = Text(max_length=20)
    number = Text(max_length=40)
    person = PersonBody(required=False)


class CashTopUpBody(Body):
    """Cash onto a player's account."""

    username = Text(max_length=150)
    amount = Amount()


class ShiftDocument(serializers.Serializer[None]):
    """A shift; what is not known before it is closed is null."""

    number = serializers.IntegerField()
    opened_at = Moment()
    opening_float = Byn()
    closed_at = Moment(allow_null=True)
    expected = serializers.CharField(allow_null=True)
    counted = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)


class TillDocument(serializers.Serializer[None]):
    """A till, what is in it, and its open shift if there is one."""

    point = serializers.CharField()
    till = serializers.IntegerField()
    cash = Byn()
    shift = ShiftDocument(allow_null=True)


class SoldCard(serializers.Serializer[None]):
    """A card that pays from now on."""

    series = serializers.CharField()
    number = serializers.CharField()
    face_value = Byn()
    sold_at = Moment()
    valid_until = Moment(help_text="Exclusive.")


class TillState(APIView):
    """`GET till`."""

    permission_classes = (AreCashiers,)

    @described("till", "My till and its shift", tag=TAG, answers={200: TillDocument})
    def get(self, request: Request) -> Response:
        """Show the till."""
        till = till_asking(request)
        shift = open_shift_of(till)
        told = {
            "point": till.point.code,
            "till": till.number,
            "cash": plain_byn(balance(till.ledger_account)),
            "shift": _shift(shift) if shift is not None else None,
        }
        return Response(told)


class ShiftOpening(APIView):
    """`POST till/shift`."""

    permission_classes = (AreCashiers,)

    @described(
        "shift_open",
        "Open a shift with the cash counted",
        tag=TAG,
        answers={201: ShiftDocument},
        body=CountBody,
        keyed=True,
        refused=(Refusal.SWITCHED_OFF, Refusal.WRONG_STATE, Refusal.DOCUMENTS_MISSING, Refusal.NO_AGREEMENT),
    )
    def post(self, request: Request) -> Response:
        """Open it."""
        key, count = idempotency_key(request), read_body(request, CountBody)
        till, cashier, reason = till_asking(request), person_asking(request), count.get("reason", "")
        last = Shift.objects.filter(till=till).order_by("-number").first()
        number = last.number + 1 if last is not None else 1

        def act() -> None:
            opened = open_shift(till=till, cashier=cashier, counted=count["counted"], reason=reason)
            if opened.number != number:
                raise DomainError(Refusal.BUSY, _("The system is busy; please try again."))

        first = do_once(
            scope=f"till:{till.pk}",
            key=key,
            fingerprint=fingerprint_of("open_shift", count["counted"], reason),
            answer=str(number),
            act=act,
        )
        return Response(_shift(Shift.objects.get(till=till, number=int(first))), status=201)


class ShiftClosing(APIView):
    """`POST till/shift/closing`."""

    permission_classes = (AreCashiers,)

    @described(
        "shift_close",
        "Close the shift with the cash counted",
        tag=TAG,
        answers={200: ShiftDocument},
        body=CountBody,
        keyed=True,
        refused=(Refusal.NO_OPEN_SHIFT, Refusal.WRONG_STATE),
        about="A shortage or excess is posted with its reason.",
    )
    def post(self, request: Request) -> Response:
        """Close it."""
        key, count = idempotency_key(request), read_body(request, CountBody)
        till, cashier, reason = till_asking(request), person_asking(request), count.get("reason", "")
        shift = open_shift_of(till)

        def act() -> None:
            if shift is None:
                raise DomainError(Refusal.NO_OPEN_SHIFT, _("No shift is open at this till."))
            close_shift(shift=shift, counted=count["counted"], closed_by=cashier, reason=reason)

        first = do_once(
            scope=f"till:{till.pk}",
            key=key,
            fingerprint=fingerprint_of("close_shift", count["counted"], reason),
            answer=str(shift.number) if shift is not None else "",
            act=act,
        )
        return Response(_shift(Shift.objects.get(till=till, number=int(first))))


class CardSales(APIView):
    """`POST cards/sales`."""

    permission_classes = (AreCashiers,)

    @described(
        "card_sell",
        "Sell a prepaid card for its face value in cash",
        tag=TAG,
        answers={201: SoldCard},
        body=CardSaleBody,
        keyed=True,
        refused=(
            *DESK_MAY_NOT_SELL,
            Refusal.NOT_FOUND,
            Refusal.WRONG_STATE,
            Refusal.UNDER_AGE,
            Refusal.IDENTITY_NEEDED,
            Refusal.ACCOUNT_BLOCKED,
            Refusal.MAY_NOT_PLAY,
            Refusal.REGISTER_STALE,
        ),
    )
    def post(self, request: Request) -> Response:
        """Sell it once."""
        key, wish = idempotency_key(request), read_body(request, CardSaleBody)
        person = person_shown(wish.pop("person", None))
        card = sell_card(
            **wish,
            cashier=person_asking(request),
            idempotency_key=key,
            person=person,
            terminal=terminal_of(request),
        )
        told = {
            "series": card.batch.series,
            "number": card.number,
            "face_value": plain_byn(card.batch.face_value),
            "sold_at": instant_or_none(card.sold_at),
            "valid_until": instant(card.expires_at),
        }
        return Response(told, status=201)


class CashTopUps(APIView):
    """`POST till/top-ups`."""

    permission_classes = (AreCashiers,)

    @described(
        "top_up_in_cash",
        "Take cash onto a player's account",
        tag=TAG,
        answers={201: Credited},
        body=CashTopUpBody,
        keyed=True,
        refused=(*NOT_CREDITED, *DESK_MAY_NOT_SELL, Refusal.NOT_FOUND, Refusal.IDENTITY_NEEDED),
    )
    def post(self, request: Request) -> Response:
        """Credit it once."""
        key, wish = idempotency_key(request), read_body(request, CashTopUpBody)
        top_up = top_up_in_cash(
            account=account_named(wish["username"]),
            amount=wish["amount"],
            cashier=person_asking(request),
            idempotency_key=key,
            terminal=terminal_of(request),
        )
        return Response(credited(top_up), status=201)


def _shift(shift: Shift) -> dict[str, Any]:
    return {
        "number": shift.number,
        "opened_at": instant(shift.opened_at),
        "opening_float": plain_byn(shift.opening_float),
        "closed_at": instant_or_none(shift.closed_at),
        "expected": plain_byn(shift.expected) if shift.expected is not None else None,
        "counted": plain_byn(shift.counted) if shift.counted is not None else None,
        "reason": shift.reason,
    }
