"""Checking a ticket by number and check code, without logging in (C7, D-13)."""

from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from payouts.forms.tickets import TicketForm
from payouts.queries import TicketStatus, ticket_status
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import add_refusal
from totalizator.core.throttle import network_subject

TRIES, A_MINUTE = 20, 60


def check(request: HttpRequest) -> HttpResponseBase:
    """Say what a ticket won. An unknown number and a wrong code get one and the same answer."""
    form = TicketForm(request.POST or None)
    status: TicketStatus | None = None
    code = 400 if form.is_bound else 200
    if form.is_bound and form.is_valid():
        if _too_many(request):
            form.add_error(None, _("Too many tries. Wait a minute and try again."))
            code = 429
        else:
            status, code = _look_up(request, form)
    context = {"form": form, "status": status, "pool": status.bet.pool if status else None}
    return render(request, "payouts/check.html", context, status=code)


def _look_up(request: HttpRequest, form: TicketForm) -> tuple[TicketStatus | None, int]:
    try:
        return ticket_status(form.cleaned_data["ticket"], form.cleaned_data["check_code"]), 200
    except DomainError as refusal:
        if refusal.code == Refusal.WRONG_CODE:
            _count_failure(request)
        add_refusal(form, refusal)
        return None, refusal.http_status


def _key(request: HttpRequest) -> str:
    return f"ticket-check:{network_subject(request)}"


def _too_many(request: HttpRequest) -> bool:
    return int(cache.get(_key(request), 0)) >= TRIES


def _count_failure(request: HttpRequest) -> None:
    cache.add(_key(request), 0, A_MINUTE)
    try:
        cache.incr(_key(request))
    except ValueError:  # it ran out in between
        cache.set(_key(request), 1, A_MINUTE)
