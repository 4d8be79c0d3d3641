"""Printing at the desk: on the till's own receipt printer, where it has one, else as a PDF in a window of its own."""

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.documents.escpos import escpos_slip
from accounts.documents.slip import SlipDrawer, render_slip
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.till_printers import print_at, printer_of
from payouts.views.desk.frame import show_desk, show_refused, till_of
from pools.documents.ticket import escpos_ticket, escpos_tickets, render_ticket, render_tickets
from pools.services.coupon_files import sold_before
from pools.services.printing import print_ticket, print_tickets
from pools.views.betting import bet_to_print, source_of
from pools.views.files import checked_coupons, parts_of
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError, Refusal

Drawer = TypeVar("Drawer")


def print_here(
    request: PersonRequest, draw: Callable[[Drawer], bytes], *, pdf: Drawer, escpos: Drawer, name: str
) -> HttpResponseBase:
    """Draw what is to be printed for the paper that this till has, and hand it out there."""
    till = till_of(request)
    if not printer_of(till):
        headers = {"Content-Disposition": f'inline; filename="{name}.pdf"'}
        return HttpResponse(draw(pdf), content_type="application/pdf", headers=headers)
    content = draw(escpos)
    try:
        print_at(till, content)
    except DomainError as refusal:
        sent = [(name, value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"]
        return show_refused(request, refusal, print_again=request.path, sent=sent)
    return show_desk(request, "cashier/printed.html", name=name)


def print_slip_here(request: PersonRequest, draw: Callable[[SlipDrawer], bytes], *, name: str) -> HttpResponseBase:
    """Draw a slip for the paper that this till has, and hand it out there."""
    return print_here(request, draw, pdf=render_slip, escpos=escpos_slip, name=name)


@cashier_only
def ticket(request: PersonRequest, code: str) -> HttpResponseBase:
    """Print the ticket that was just sold: the form that paid finds it and its check code, and buys nothing."""
    if request.method != "POST":
        return redirect("payouts:till")
    try:
        placed = bet_to_print(request, pool_or_404(request, code))
    except DomainError as refusal:
        return show_refused(request, refusal)
    return print_here(
        request,
        lambda draw: print_ticket(placed, language=get_language() or settings.LANGUAGE_CODE, draw=draw),
        pdf=render_ticket,
        escpos=escpos_ticket,
        name=placed.bet.ticket,
    )


@cashier_only
def batch(request: PersonRequest, code: str) -> HttpResponseBase:
    """Print the tickets of a file that was just sold, with their check codes, in one run; it buys nothing (B7)."""
    if request.method != "POST":
        return redirect("payouts:till")
    pool, language = pool_or_404(request, code), get_language() or settings.LANGUAGE_CODE
    text, stake, token = (request.POST.get(name, "") for name in ("text", "stake", "token"))
    try:
        lines = checked_coupons(pool, text, stake).lines
        first, last = _run(request.POST.get("first", ""), len(lines))
        source = source_of(request)
        placed = sold_before(pool_code=code, lines=lines[first - 1 : last], source=source, idempotency_key=token)
    except DomainError as refusal:
        return show_refused(request, refusal)
    return print_here(
        request,
        lambda draw: print_tickets(placed, language=language, draw=draw),
        pdf=render_tickets,
        escpos=escpos_tickets,
        name=f"{code}-{first}-{last}",
    )


def _run(asked: str, tickets: int) -> tuple[int, int]:
    """Return the run that begins with the ticket asked for; :raises DomainError: NOT_FOUND for none."""
    run = next((run for run in parts_of(tickets) if str(run[0]) == asked), None)
    if run is None:
        raise DomainError(Refusal.NOT_FOUND, _("Nothing was bought with this form: there is no ticket to print."))
    return run
