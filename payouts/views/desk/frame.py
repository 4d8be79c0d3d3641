"""What every page of the desk shows: cash and its limit, the shift, the field, the pool that coupons are for."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import cast

from django.forms import BaseForm
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from accounts.forms.persons import PersonForm, ask_person
from accounts.models import Shift, Till
from accounts.permissions import PersonRequest
from accounts.services.till_printers import printer_of
from accounts.views.till_cash import cash_of
from payouts.services.ticket_scans import clear_screen
from payouts.views.desk.words import next_step
from pools.models import Bet, Pool, PoolState
from pools.services.sources import from_till
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.problem import TITLES, add_refusal, told

Page = Callable[..., HttpResponseBase]
"""Draws the page again, with a status and what it shows more."""
_POOL, _LAST_SALE, _ON_SCREEN = "desk_pool", "desk_last_sale", "desk_on_screen"
_LATELY = timedelta(minutes=15)
_OF_A_TICKET = ("check", "code", "differs", "disputed", "paid", "printed", "refused")
_OF_THE_SAME_TICKET = {f"cashier/{name}.html" for name in _OF_A_TICKET}
"""Pages that do not end what the customer's screen shows."""


def show_desk(request: PersonRequest, template: str, *, answer: int = 200, **more: object) -> HttpResponse:
    """Render a page of the desk; one that is about something else clears the customer's screen."""
    if template not in _OF_THE_SAME_TICKET:
        end_on_screen(request)
    return render(request, template, _frame(request) | more, status=answer)


def show_refused(request: PersonRequest, refusal: DomainError, **more: object) -> HttpResponse:
    """Say in large letters that nothing was done, why, and what to do next."""
    told_so = {
        "kind": "paid" if refusal.code == Refusal.ALREADY_PAID else "refused",
        "title": TITLES[refusal.code],
        "why": told(refusal),
        "next": next_step(refusal),
        "opens_shift": refusal.code == Refusal.NO_OPEN_SHIFT,
    }
    return show_desk(request, "cashier/refused.html", answer=refusal.http_status, **(told_so | more))


def answer_refusal(
    request: PersonRequest, refusal: DomainError, form: BaseForm, asked: PersonForm | None, page: Page
) -> HttpResponseBase:
    """Answer what a desk was refused: beside the amount given, with a question for the person, or in large letters."""
    if refusal.field == "given":
        add_refusal(form, refusal)
        return page(status=400, person_form=asked)
    try:
        asking = ask_person(asked, refusal)
    except DomainError:
        return show_refused(request, refusal)
    return page(status=refusal.http_status, person_form=asking, why=told(refusal))


def no_shift() -> DomainError:
    """Return the refusal of what needs a shift, said before anything is read back to the customer."""
    return DomainError(Refusal.NO_OPEN_SHIFT, _("Open a shift at this till first."))


def note_on_screen(request: PersonRequest) -> None:
    """Remember that the customer's screen tells of a ticket, until the desk turns to something else."""
    if _ON_SCREEN not in request.session:
        request.session[_ON_SCREEN] = True


def end_on_screen(request: PersonRequest) -> None:
    """Clear the customer's screen, if it tells of a ticket."""
    if request.session.pop(_ON_SCREEN, False):
        clear_screen(till_of(request))


def till_of(request: PersonRequest) -> Till:
    """Return the cashier's till; :raises DomainError: NOT_ALLOWED for who works at none."""
    return cast(Till, from_till(request.user).till)


def pools_on_sale() -> list[Pool]:
    """Return the pools that take bets now, the first to close first."""
    now = clock.now()
    states = (PoolState.ANNOUNCED, PoolState.OPEN)
    return list(Pool.objects.filter(state__in=states, opens_at__lte=now, closes_at__gt=now).order_by("closes_at"))


def chosen_pool(request: PersonRequest, on_sale: Sequence[Pool]) -> Pool | None:
    """Return the pool that this desk types coupons for: the one it chose last, else the first to close."""
    code = request.session.get(_POOL)
    return next((pool for pool in on_sale if pool.code == code), on_sale[0] if on_sale else None)


def choose_pool(request: PersonRequest, code: str) -> None:
    """Remember which pool the desk types coupons for, until it logs out."""
    if code and request.session.get(_POOL) != code:
        request.session[_POOL] = code


def remember_sale(request: PersonRequest, ticket: str, stake: int) -> None:
    """Remember the last sale, so that the desk shows whether it stands, though its answer was lost on the way."""
    request.session[_LAST_SALE] = {"ticket": ticket, "stake": stake, "at": clock.now().isoformat()}


def sale_before(request: PersonRequest) -> Bet | None:
    """Return the till's last sale of these minutes where this log-in has sold nothing.

    A log-in may have ended while its answer was on the way: who logs in again is told whether the bet stands (C36).
    """
    if _LAST_SALE in request.session:
        return None
    lately = Bet.objects.filter(till=till_of(request), registered_at__gte=clock.now() - _LATELY)
    return lately.order_by("-registered_at", "ticket").first()


def _frame(request: PersonRequest) -> dict[str, object]:
    till = till_of(request)
    on_sale = pools_on_sale()
    return {
        **cash_of(till),
        "last_shift": Shift.objects.filter(till=till, closed_at__isnull=False).order_by("-number").first(),
        "pools": on_sale,
        "chosen": chosen_pool(request, on_sale),
        "prints": bool(printer_of(till)),
        "last_sale": request.session.get(_LAST_SALE),
    }
