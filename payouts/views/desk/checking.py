"""Checking a ticket that is brought to the desk, with its slip for who brought it (¶13, C7)."""

import secrets
from datetime import datetime
from functools import partial

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.models import Till
from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import CompareForm, DeskDisputeForm, ShownForm
from payouts.forms.tickets import TicketForm
from payouts.models import TicketScan
from payouts.queries import TicketStatus
from payouts.queries.disputes import answer_due, open_disputes
from payouts.queries.large_payments import LargeStep, large_outlook
from payouts.queries.ticket_claims import live_claims
from payouts.queries.ticket_scans import verdict_of
from payouts.queries.tickets import TicketStanding, ticket_status
from payouts.services.phone_binding import is_bound
from payouts.services.scan_slips import scan_slip_pdf
from payouts.services.ticket_scans import guess_slowly, scan_of, scan_ticket
from payouts.views.desk.frame import end_on_screen, note_on_screen, show_desk, show_refused, till_of
from payouts.views.desk.printing import print_slip_here
from pools.services.tickets import CODE_LENGTH, normal_code
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import told


def ask_code(
    request: PersonRequest, ticket: str, refusal: DomainError | None = None, *, typed: str = ""
) -> HttpResponseBase:
    """Ask for the check code of a ticket whose number or barcode was read; `typed` is the code that was refused."""
    status = 200 if refusal is None else refusal.http_status
    why = told(refusal) if refusal is not None else ""
    if refusal is None:
        end_on_screen(request)
    else:
        note_on_screen(request)
    return show_desk(request, "cashier/code.html", answer=status, ticket=ticket, why=why, typed_code=typed)


def show_check(request: PersonRequest, ticket: str, check_code: str) -> HttpResponseBase:
    """Check a ticket, note it, and say where it stands."""
    try:
        status, scan = scan_ticket(ticket=ticket, check_code=check_code, cashier=request.user)
    except DomainError as refusal:
        if refusal.code == Refusal.WRONG_CODE:
            return ask_code(request, ticket, refusal, typed=check_code)
        return show_refused(request, refusal)
    return checked(request, status, scan, check_code)


def show_again(
    request: PersonRequest, ticket: str, check_code: str, token: str, *, answer: int = 200, **more: object
) -> HttpResponseBase:
    """Show the check that the desk is at once more, with `more` that is asked or told; it is not noted again.

    :raises DomainError: THROTTLED, WRONG_CODE.
    """
    status = guess_slowly(ticket, request.user, lambda: ticket_status(ticket, check_code))
    scan = scan_of(status, till=till_of(request), cashier=request.user, at=clock.now())
    return checked(request, status, scan, check_code, token=token, answer=answer, **more)


def checked(
    request: PersonRequest,
    status: TicketStatus,
    scan: TicketScan,
    check_code: str,
    *,
    token: str = "",
    answer: int = 200,
    **more: object,
) -> HttpResponseBase:
    """Show where a ticket stands, and the form that pays it if it may be paid here."""
    note_on_screen(request)
    bet = status.bet
    disputed = open_disputes().filter(pool_id=bet.pool_id, ticket=bet.ticket).select_related("pool").first()
    context = {
        "status": status,
        "pool": status.bet.pool,
        "scan": scan,
        "told": verdict_of(scan),
        "check_code": check_code,
        "token": token or secrets.token_urlsafe(24),
        "dispute": disputed,
        "answer_due": answer_due(disputed) if disputed is not None else None,
        "claims": live_claims(bet.pool_id, bet.ticket).order_by("pk"),
        "dispute_form": DeskDisputeForm(),
        "compare_form": CompareForm(),
        **_to_pay(status, till_of(request), clock.now()),
    }
    return show_desk(request, "cashier/check.html", answer=answer, **(context | more))


@cashier_only
def check(request: PersonRequest) -> HttpResponseBase:
    """Check a presented ticket against the register, before paying it (¶13)."""
    form = TicketForm(request.POST or None)
    if not form.is_bound:
        return redirect("payouts:till")
    ticket, typed = request.POST.get("ticket", "")[:60], request.POST.get("check_code", "")[:40]
    refusal = None
    if not form.is_valid():
        refusal = DomainError(Refusal.BAD_VALUE, str(next(iter(form.errors.values()))[0]), field="check_code")
    elif (count := len(normal_code(typed))) != CODE_LENGTH:
        words = _("The check code has %(needed)s letters and digits; typed: %(typed)s.")
        refusal = DomainError(Refusal.BAD_VALUE, words % {"needed": CODE_LENGTH, "typed": count}, field="check_code")
    if refusal is not None:
        return ask_code(request, ticket.replace("\x00", ""), refusal, typed=typed.replace("\x00", ""))
    return show_check(request, form.cleaned_data["ticket"], form.cleaned_data["check_code"])


@cashier_only
def slip(request: PersonRequest, number: int) -> HttpResponseBase:
    """Print the slip of a check that was made at this till: on its own printer by POST, else a PDF."""
    scans = TicketScan.objects.select_related("till__point", "scanned_by")
    scan = get_object_or_404(scans, pk=number, till=till_of(request))
    if request.method != "POST":
        return HttpResponse(scan_slip_pdf(scan), content_type="application/pdf")
    return print_slip_here(request, partial(scan_slip_pdf, scan), name=f"{scan.pk}")


def _to_pay(status: TicketStatus, till: Till, now: datetime) -> dict[str, object]:
    payable = status.payable
    if status.standing != TicketStanding.PAYABLE or payable is None or payable.pay_to_id is not None:
        return {"in_cash": False}
    large = large_outlook(payable, till, now)
    return {
        "in_cash": large is None or large.step == LargeStep.PAY,
        "large": large,
        "shown_form": ShownForm() if large is not None and large.step == LargeStep.PREPARE else None,
        "bound": is_bound(status.bet),
    }
