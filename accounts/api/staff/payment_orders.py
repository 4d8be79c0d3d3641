"""Payment orders: given to the bank in a file, come back, and drawn up anew (¶41-42)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Download, GivenFile, Listing, Told, Written
from accounts.api.staff.naming import StaffReasonBody, found
from accounts.models import OrderState, OwnBankAccount, PaymentOrder, User
from accounts.services.payment_order_pages import payment_order_page
from accounts.services.payment_orders import Payee, draw_up_anew, note_returned
from totalizator.core.api.bodies import Body, Text
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: payment orders"


class OrderQuery(PageQuery):
    """Which of them: those that wait for the bank, unless told."""

    state = serializers.ChoiceField(OrderState.choices, required=False)


class PayeeBody(Body):
    """Who is to be paid, as the payee's paper says."""

    name = Text(max_length=140)
    account = Text(max_length=40)
    bank = Text(required=False, max_length=11, help_text="BIC, where it is known.")


class PageOfOrderQuery(Body):
    """From which of our accounts it is paid."""

    iban = Text(max_length=34)


class PaymentOrderDocument(serializers.Serializer[None]):
    """A payment order; whose money it is, its cause says, and its page names the payee."""

    number = serializers.IntegerField()
    cause = serializers.CharField(help_text="`withdrawal:12`, `winning:2411-1-…`.")
    amount = Byn()
    purpose = serializers.CharField()
    state = serializers.ChoiceField(OrderState.choices)
    drawn_up_at = Moment()
    moved_at = Moment()
    reason = serializers.CharField(allow_blank=True, help_text="Why it came back.")


def _orders() -> QuerySet[PaymentOrder]:
    return PaymentOrder.objects.select_related("withdrawal", "post")


def _return(staff: User, told: Told, number: int) -> None:
    note_returned(order=found(_orders(), pk=number), reason=told["reason"], by=staff)


def _draw_up_anew(staff: User, told: Told, number: int) -> None:
    draw_up_anew(order=found(_orders(), pk=number), payee=Payee(**told), drawn_up_by=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _written(found(_orders(), pk=number))


def _shown_anew(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return _written(found(_orders(), replaces=number))


def _page(staff: User, told: Told, number: int) -> GivenFile:
    order, account = found(_orders(), pk=number), found(OwnBankAccount.objects.all(), iban=told["iban"], field="iban")
    return GivenFile(f"{order.number}.pdf", payment_order_page(order=order, account=account, asked_by=staff))


def _written(order: PaymentOrder) -> Written:
    return {
        "number": order.pk,
        "cause": order.cause,
        "amount": plain_byn(order.amount),
        "purpose": order.purpose,
        "state": order.state,
        "drawn_up_at": instant(order.drawn_up_at),
        "moved_at": instant(order.moved_at),
        "reason": order.reason,
    }


_OF_ONE: dict[str, Any] = {
    "tag": TAG,
    "answer": PaymentOrderDocument,
    "refused": (Refusal.NOT_FOUND, Refusal.WRONG_STATE),
}
DECLARED = (
    Listing(
        path="payment-orders",
        name="staff_payment_orders",
        summary="Payment orders that wait to be given to the bank, or those of another state, from the oldest",
        tag=TAG,
        rows_name="orders",
        row=PaymentOrderDocument,
        rows=lambda query: _orders().filter(state=query.get("state", OrderState.DRAWN_UP)),
        write=_written,
        query=OrderQuery,
        ordering=("pk",),
    ),
    Download(
        path="payment-orders/<int:number>/page",
        name="staff_payment_order_page",
        summary="An order's page on paper",
        tag=TAG,
        media_types=("application/pdf",),
        read=_page,
        query=PageOfOrderQuery,
    ),
    Act(
        path="payment-orders/<int:number>/return",
        name="staff_payment_order_return",
        summary="Note that the bank did not execute an order; a withdrawal's money is on the account again",
        body=StaffReasonBody,
        do=_return,
        shown=_shown,
        status=200,
        **_OF_ONE,
    ),
    Act(
        path="payment-orders/<int:number>/replacement",
        name="staff_payment_order_replace",
        summary="Draw up an order that came back anew, with the right requisites",
        body=PayeeBody,
        do=_draw_up_anew,
        shown=_shown_anew,
        about="Another person gives it to the bank.",
        **_OF_ONE,
    ),
)
