"""The cashier's desk: the till's cash, pools to sell, tickets to check and pay (¶9, ¶13, C5, C7)."""

import secrets

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.forms.persons import ask_person, person_asked
from accounts.ledger.balances import balance
from accounts.models import Shift
from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.tickets import TicketForm
from payouts.models import Payment
from payouts.queries import TicketStatus, ticket_status
from payouts.services.cash import pay_in_cash
from payouts.services.receipts import print_receipt
from pools.models import Pool, PoolState
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal, told


@cashier_only
def till(request: PersonRequest) -> HttpResponseBase:
    """Show the till with its cash, the pools on sale, and the box that a ticket is typed into."""
    source = from_till(request.user)
    now = clock.now()
    on_sale = Pool.objects.filter(
        state__in=(PoolState.ANNOUNCED, PoolState.OPEN), opens_at__lte=now, closes_at__gt=now
    ).order_by("closes_at")
    shifts = Shift.objects.filter(till=source.till)
    context = {
        "till": source.till,
        "cash": balance(source.account),
        "pools": on_sale,
        "form": TicketForm(),
        "shift": shifts.filter(closed_at__isnull=True).first(),
        "last_shift": shifts.filter(closed_at__isnull=False).order_by("-number").first(),
    }
    return render(request, "cashier/till.html", context)


@cashier_only
def check_at_till(request: PersonRequest) -> HttpResponseBase:
    """Check a presented ticket against the register, before paying it (¶13)."""
    form = TicketForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till")
    context: dict[str, object] = {"form": form}
    if form.is_valid():
        try:
            status = ticket_status(form.cleaned_data["ticket"], form.cleaned_data["check_code"])
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            context |= _to_pay(request, status, secrets.token_urlsafe(24))
    return render(request, "cashier/check.html", context, status=400 if form.errors else 200)


@cashier_only
def pay_at_till(request: PersonRequest) -> HttpResponseBase:
    """Pay a ticket in cash, once; the form's token makes a repeated click the same payment (C5).

    For a large sum it asks first who is paid (Q1).
    """
    form = TicketForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    asked = person_asked(request.POST)
    try:
        payment = pay_in_cash(
            ticket=ticket,
            check_code=code,
            cashier=request.user,
            idempotency_key=token,
            person=asked.person() if asked is not None else None,
        )
    except DomainError as refusal:
        asking = {"form": form, "person_form": ask_person(asked, refusal), "why": told(refusal)}
        page = asking | _to_pay(request, ticket_status(ticket, code), token)
        return render(request, "cashier/check.html", page, status=refusal.http_status)
    context = {"payment": payment, "zone": payment.till.point.time_zone if payment.till else "Europe/Minsk"}
    return render(request, "cashier/paid.html", context)


@cashier_only
def receipt(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Print the receipt of what this till has paid on a ticket; printed again it is a copy (C59)."""
    if request.method != "POST":
        return redirect("payouts:till")
    here = Payment.objects.select_related("till__point", "paid_by").filter(till=from_till(request.user).till)
    payment = here.filter(ticket=ticket).order_by("-paid_at").first()  # of two, what a correction made good
    if payment is None:
        raise Http404
    return HttpResponse(print_receipt(payment=payment, asked_by=request.user), content_type="application/pdf")


def _to_pay(request: PersonRequest, status: TicketStatus, token: str) -> dict[str, object]:
    """Return what the page shows of a ticket that was checked, with the button that pays it."""
    return {
        "status": status,
        "pool": status.bet.pool,
        "token": token,
        "cash": balance(from_till(request.user).account),
        "in_cash": status.payable is not None and status.payable.pay_to_id is None,
    }
