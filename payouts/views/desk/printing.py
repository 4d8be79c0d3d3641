"""Printing at the desk: on the till's own receipt printer, where it has one, else as a PDF in a window of its own."""

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import get_language

from accounts.permissions import PersonRequest, cashier_only
from accounts.services.till_printers import print_at, printer_of
from payouts.views.desk.frame import show_desk, show_refused, till_of
from pools.documents.ticket import escpos_ticket, render_ticket
from pools.services.printing import print_ticket
from pools.views.betting import bet_to_print
from pools.views.reading import pool_or_404
from totalizator.core.errors import DomainError

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
