"""Asking about a ticket by number and check code, on any public page: one answer to every wrong pair, and slowly."""

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _

from payouts.forms.tickets import TicketForm
from payouts.queries import TicketStatus, ticket_status
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import add_refusal
from totalizator.core.throttle import network_subject

TRIES, A_MINUTE = 20, 60


def look_up(request: HttpRequest) -> tuple[TicketForm, TicketStatus | None, int]:
    """Return the form as it was sent, what is known of the ticket, and the status of the answer (D-13, C61).

    An unknown number and a wrong code get one and the same answer; wrong ones count together, whatever page took them.
    """
    form = TicketForm(request.POST or None)
    if not form.is_bound:
        return form, None, 200
    if not form.is_valid():
        return form, None, 400
    if int(cache.get(_key(request), 0)) >= TRIES:
        form.add_error(None, _("Too many tries. Wait a minute and try again."))
        return form, None, 429
    try:
        return form, ticket_status(form.cleaned_data["ticket"], form.cleaned_data["check_code"]), 200
    except DomainError as refusal:
        if refusal.code == Refusal.WRONG_CODE:
            _count_failure(request)
        add_refusal(form, refusal)
        return form, None, refusal.http_status


def _key(request: HttpRequest) -> str:
    return f"ticket-check:{network_subject(request)}"


def _count_failure(request: HttpRequest) -> None:
    cache.add(_key(request), 0, A_MINUTE)
    try:
        cache.incr(_key(request))
    except ValueError:  # it ran out in between
        cache.set(_key(request), 1, A_MINUTE)
