"""A till: set up, certified, given a cashier and cash, switched and closed (¶7, ¶9.5, C1, C3)."""

from functools import partial
from typing import Any

from django import forms
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.forms.points import CashierForm, FloatForm, SwitchForm, TermForm, TillForm
from accounts.models import BettingPoint, EquipmentCertificate, Shift, Till
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.points import terminals_on, tills_on
from accounts.services.equipment import register_certificate
from accounts.services.points import assign_cashier, close_till, give_float, open_till
from accounts.services.switching import switch_till
from accounts.views.asking import Question, ask
from accounts.views.points.shifts import difference_of
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.paging import page_of

SHIFTS_A_PAGE = 25


@organizer_only
def new_till(request: PersonRequest, code: str) -> HttpResponseBase:
    """Set up a till at a point for a cashier."""
    point, form = get_object_or_404(BettingPoint, code=code), TillForm(request.POST or None)
    question = Question(
        title=_("New till at point %(code)s") % {"code": code},
        button=_("Set up the till"),
        back=reverse("payouts:point", args=[code]),
        back_to=f"{point.code} {point.name}",
        about=_("It sells once it is examined and its cashier has opened a shift."),
        said=_("The till is set up."),
    )
    act = partial(open_till, point=point, by=request.user)
    return ask(request, form, act, question, lambda: _page(code, form.cleaned_data["number"]))


@organizer_only
def till(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Show a till with its terminals, certificates and shifts."""
    day = clock.today()
    shown = get_object_or_404(tills_on(day), point__code=code, number=number)
    shifts = Shift.objects.filter(till=shown).select_related("cashier", "till__point").order_by("-number")
    page = page_of(request, shifts, SHIFTS_A_PAGE)
    context = {
        "till": shown,
        "today": day,
        "terminals": terminals_on(day).filter(till=shown).order_by("pk"),
        "certificates": EquipmentCertificate.objects.filter(till=shown).order_by("-pk")[:10],
        "page": page,
        "shifts": [(shift, difference_of(shift)) for shift in page],
    }
    return render(request, "organizer/points/till.html", context)


@organizer_only
def cashier(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Give a till another cashier, or none, between two shifts."""
    till = _till(code, number)
    name = till.cashier.username if till.cashier is not None else ""
    question = _question(
        till,
        title=_("Cashier of till %(till)s") % {"till": till},
        button=_("Save"),
        about=_("A till changes its cashier between two shifts."),
        said=_("The cashier of the till is changed."),
    )
    form = CashierForm(request.POST or None, initial={"cashier": name})
    return ask(request, form, partial(assign_cashier, till=till, by=request.user), question)


@organizer_only
def certificate(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Register the examination certificate of a till."""
    till = _till(code, number)
    question = _question(
        till,
        title=_("Examination certificate of till %(till)s") % {"till": till},
        button=pgettext("verb", "Register"),
        about=_("From its first day on it counts instead of those before, even of one that lasts longer (¶7)."),
        said=_("The certificate is registered."),
    )
    act = partial(register_certificate, equipment=till, by=request.user)
    return ask(request, TermForm(request.POST or None), act, question)


@organizer_only
def bring_cash(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Book cash that was brought from the bank into a till."""
    till = _till(code, number)
    question = _question(
        till,
        title=_("Cash from the bank for till %(till)s") % {"till": till},
        button=_("Book"),
        about=_("Cash from the cash desk is handed over instead: two people count it."),
        said=_("The cash is booked."),
    )

    def give(*, amount: int, document: str) -> None:
        if not give_float(till=till, amount=amount, document=document, by=request.user):
            raise DomainError(Refusal.BAD_VALUE, _("This document was booked before."), field="document")

    return ask(request, FloatForm(request.POST or None), give, question)


@organizer_only
def switch(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Switch a till off, or on again, and say why."""
    till = _till(code, number)
    form = SwitchForm(request.POST or None, stands=till.enabled)
    on = form.wanted
    question = _question(
        till,
        title=_("Switch till %(till)s on") % {"till": till} if on else _("Switch till %(till)s off") % {"till": till},
        button=_("Switch on") if on else _("Switch off"),
        said=_("The till is on.") if on else _("The till is off: nothing is sold or paid there."),
        warns="" if on else _("Neither the till nor its terminals sell or pay once this is done."),
    )
    act = partial(switch_till, till=till, by=request.user)
    return ask(request, form, act, question)


@organizer_only
def close(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Close an empty till for good, and its terminals with it."""
    till = _till(code, number)
    question = _question(
        till,
        title=_("Close till %(till)s for good") % {"till": till},
        button=_("Close for good"),
        said=_("The till is closed for good."),
        warns=_(
            "It cannot be opened again. Its terminals are closed with it, and its cashier is free for another till."
        ),
    )
    form = forms.Form(request.POST if request.method == "POST" else None)
    return ask(request, form, partial(close_till, till=till, closed_by=request.user), question)


def _till(code: str, number: int) -> Till:
    tills = Till.objects.select_related("point", "cashier", "ledger_account")
    return get_object_or_404(tills, point__code=code, number=number)


def _question(till: Till, **said: Any) -> Question:
    return Question(back=_page(till.point.code, till.number), back_to=_("till %(till)s") % {"till": till}, **said)


def _page(code: str, number: int) -> str:
    return reverse("accounts:desk_till", args=[code, number])
