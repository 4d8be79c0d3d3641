"""Paying at the desk: a ticket with its check code, bound to a phone or not, and a large one prepared (C5, K1, X9)."""

import secrets
from collections.abc import Callable

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.forms.persons import PersonForm, ask_person, person_asked
from accounts.permissions import PersonRequest, cashier_only
from payouts.forms.desk import PhoneForm, ShownForm
from payouts.forms.tickets import TicketForm
from payouts.models import Payment
from payouts.queries.tickets import status_of
from payouts.services.cash import pay_by_phone, pay_in_cash
from payouts.services.large_payments import prepare_large_ticket
from payouts.services.phone_binding import ask_for_code, bet_of_number
from payouts.services.receipts import print_receipt
from payouts.services.recipients import ShownDocument
from payouts.services.ticket_scans import guess_slowly, note_scan
from payouts.views.desk.checking import show_again
from payouts.views.desk.frame import note_on_screen, show_desk, show_refused, till_of
from payouts.views.desk.printing import print_slip_here
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import do_once, fingerprint_of
from totalizator.core.problem import add_refusal, told
from totalizator.core.throttle import network_subject


@cashier_only
def pay(request: PersonRequest) -> HttpResponseBase:
    """Pay a ticket in cash, once; the form's token makes a repeated click the same payment (C5).

    It asks for what is missing: who is paid a large sum (Q1), the code of the phone that the ticket is bound to (X9).
    """
    form = TicketForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    phone_code, asked = _phone_code(request), person_asked(request.POST)

    def act() -> Payment:
        return pay_in_cash(
            ticket=ticket,
            check_code=code,
            cashier=request.user,
            idempotency_key=token,
            person=asked.person() if asked is not None else None,
            phone_code=phone_code,
        )

    try:
        payment = _paid(request, ticket, act, phone_code)
    except DomainError as refusal:
        more = _what_is_missing(asked, refusal)
        if more is None:
            return show_refused(request, refusal)
        return show_again(request, ticket, code, token, answer=refusal.http_status, **more)
    return receipt_page(request, payment)


@cashier_only
def send_code(request: PersonRequest) -> HttpResponseBase:
    """Send a code to the phone that the ticket before the desk is bound to."""
    form = TicketForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    phone = request.POST.get("phone", "")[:30]
    try:
        ask_for_code(ticket=ticket, phone=phone, network=network_subject(request))
        return show_again(request, ticket, code, token, phone=phone, sent=_sent())
    except DomainError as refusal:
        if refusal.field != "phone":
            return show_refused(request, refusal)
        return show_again(
            request, ticket, code, token, answer=refusal.http_status, phone=phone, phone_why=told(refusal)
        )


@cashier_only
def by_phone(request: PersonRequest) -> HttpResponseBase:
    """Pay a ticket that was lost to who has its phone: first a code is sent, then it is typed (X9)."""
    form = PhoneForm(request.POST or None)
    token, asked = request.POST.get("token", "") or secrets.token_urlsafe(24), person_asked(request.POST)
    if not form.is_bound or not form.is_valid():
        return show_desk(request, "cashier/phone.html", answer=400 if form.is_bound else 200, form=form, token=token)
    told_of = form.cleaned_data
    try:
        if not told_of["phone_code"]:
            ask_for_code(ticket=told_of["ticket"], phone=told_of["phone"], network=network_subject(request))
            return show_desk(request, "cashier/phone.html", form=form, token=token, sent=_sent())

        def act() -> Payment:
            return pay_by_phone(
                **told_of,
                cashier=request.user,
                idempotency_key=token,
                person=asked.person() if asked is not None else None,
            )

        payment = _paid(request, told_of["ticket"], act, told_of["phone_code"])
    except DomainError as refusal:
        more: dict[str, object] = {}
        if refusal.field in form.fields:
            add_refusal(form, refusal)
        elif (missing := _what_is_missing(asked, refusal)) is None:
            return show_refused(request, refusal)
        else:
            more = missing
        return show_desk(request, "cashier/phone.html", answer=refusal.http_status, form=form, token=token, **more)
    return receipt_page(request, payment)


@cashier_only
def prepare_large(request: PersonRequest) -> HttpResponseBase:
    """Prepare the payment of a large winning to who shows a document; another person approves it (K1).

    Sent again, it is not prepared anew: what somebody is about to approve stays as it is.
    """
    form, shown = TicketForm(request.POST or None), ShownForm(request.POST or None)
    if not form.is_bound or not form.is_valid():
        return redirect("payouts:till")
    ticket, code, token = form.cleaned_data["ticket"], form.cleaned_data["check_code"], request.POST.get("token", "")
    status = 400
    if shown.is_valid():
        document, status = ShownDocument(**shown.cleaned_data), 200

        def act() -> str:
            return do_once(
                scope=f"acts:{request.user.actor}",
                key=token,
                fingerprint=fingerprint_of("prepare_large", ticket, *shown.cleaned_data.values()),
                answer="prepared",
                act=lambda: prepare_large_ticket(ticket=ticket, check_code=code, shown=document, cashier=request.user),
            )

        try:
            guess_slowly(ticket, request.user, act)
        except DomainError as refusal:
            if refusal.field not in shown.fields:
                return show_refused(request, refusal)
            add_refusal(shown, refusal)
            status = refusal.http_status
    more: dict[str, object] = {} if status == 200 else {"shown_form": shown}
    return show_again(request, ticket, code, token, answer=status, **more)


@cashier_only
def receipt(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Print the receipt of what this till has paid on a ticket; printed again it is a copy (C59)."""
    if request.method != "POST":
        return redirect("payouts:till")
    here = Payment.objects.select_related("till__point", "paid_by").filter(till=till_of(request))
    payment = here.filter(ticket=ticket).order_by("-paid_at").first()  # of two, what a correction made good
    if payment is None:
        raise Http404
    return print_slip_here(
        request, lambda draw: print_receipt(payment=payment, asked_by=request.user, draw=draw), name=ticket
    )


def _paid(request: PersonRequest, ticket: str, act: Callable[[], Payment], phone_code: str) -> Payment:
    """Pay, and show who is paid on the second screen that it was."""
    wrong = [Refusal.WRONG_CODE, *([Refusal.PHONE_CODE_NEEDED] if phone_code else [])]
    payment = guess_slowly(ticket, request.user, act, wrong=wrong)
    bet = bet_of_number(payment.ticket)
    if bet is not None and not payment.replayed:
        note_scan(status_of(bet), till=till_of(request), cashier=request.user)
    return payment


def receipt_page(request: PersonRequest, payment: Payment) -> HttpResponseBase:
    zone = till_of(request).point.time_zone
    note_on_screen(request)
    return show_desk(request, "cashier/paid.html", payment=payment, zone=zone)


def _phone_code(request: PersonRequest) -> str:
    return request.POST.get("phone_code", "").replace("\x00", "")[:10]


def _what_is_missing(asked: PersonForm | None, refusal: DomainError) -> dict[str, object] | None:
    """Return what the page asks for after a refusal; None where nothing that is typed would help."""
    if refusal.code == Refusal.PHONE_CODE_NEEDED:
        return {"code_why": told(refusal)}
    try:
        return {"person_form": ask_person(asked, refusal), "why": told(refusal)}
    except DomainError:
        return None


def _sent() -> str:
    return _("A code is on its way, if this is the phone that the ticket is bound to.")
