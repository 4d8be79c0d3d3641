"""The desk's last sales and payments, each with a copy to print: it buys, pays and claims nothing (C59)."""

from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import get_language

from accounts.models import PrepaidCard, Shift, Till, TopUp
from accounts.permissions import PersonRequest, cashier_only
from payouts.models import Payment
from payouts.queries.claim_terms import claim_end_of
from payouts.views.desk.frame import show_desk, till_of
from payouts.views.desk.printing import print_here
from pools.documents.ticket import escpos_ticket, render_ticket
from pools.models import Bet
from pools.services.printing import print_copy
from totalizator.core import clock

MOST = 20


@cashier_only
def sales(request: PersonRequest) -> HttpResponseBase:
    """Show the last sales and payments of the till's shift, the latest first."""
    till = till_of(request)
    since = _shift_began(till)
    paid = Payment.objects.filter(till=till, paid_at__gte=since).order_by("-paid_at")[:MOST]
    sold = _sold(till).filter(registered_at__gte=since).order_by("-registered_at", "ticket")[:MOST]
    topped_up = TopUp.objects.filter(till=till, credited_at__gte=since).order_by("-credited_at")[:MOST]
    of_the_till = PrepaidCard.objects.select_related("batch").filter(sold_at_till=till, sold_at__gte=since)
    cards = of_the_till.order_by("-sold_at")[:MOST]
    return show_desk(request, "cashier/sales.html", sold=sold, paid=paid, topped_up=topped_up, cards=cards)


@cashier_only
def ticket_copy(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Print a ticket of the till's shift again, as a copy without check code; who prints it is journalled."""
    if request.method != "POST":
        return redirect("payouts:till_sales")
    till = till_of(request)
    bet = get_object_or_404(_sold(till), ticket=ticket, registered_at__gte=_shift_began(till))
    language, paid_until = get_language() or settings.LANGUAGE_CODE, claim_end_of(bet.pool)
    return print_here(
        request,
        lambda draw: print_copy(bet, actor=request.user.actor, language=language, paid_until=paid_until, draw=draw),
        pdf=render_ticket,
        escpos=escpos_ticket,
        name=f"{bet.ticket}-copy",
    )


def _sold(till: Till) -> QuerySet[Bet]:
    return Bet.objects.select_related("pool", "till__point").filter(till=till)


def _shift_began(till: Till) -> datetime:
    """Return when the till's last shift began, which may be over; before the first one there is nothing."""
    last = Shift.objects.filter(till=till).order_by("-number").first()
    return last.opened_at if last is not None else clock.now()
