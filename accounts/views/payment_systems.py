"""The organizer's page of payment systems: what each holds for us, its reports, and what passes by the bank (F1)."""

from collections.abc import Mapping
from dataclasses import dataclass

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Count
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.forms.tables import PaidOverForm, PrefundedForm, ReportForm
from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.models import LedgerAccount, UnmatchedItem, User
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.paying_over import note_paid_over, note_prefunded
from accounts.services.providers.known import provider_names
from accounts.services.reconciliation import reconcile_provider
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal

REPORT, PAID_OVER, PREFUNDED = "report", "paid-over", "prefunded"
FORMS: Mapping[str, type[forms.Form]] = {REPORT: ReportForm, PAID_OVER: PaidOverForm, PREFUNDED: PrefundedForm}


@dataclass(frozen=True, slots=True)
class Shown:
    """A payment system: its currencies, the kopecks that it holds for us, and what does not agree with it."""

    name: str
    currencies: str
    holds: int
    unmatched: int


@organizer_only
def payment_systems(request: PersonRequest) -> HttpResponseBase:
    """Show them; read a report of a day, or book what was paid over or in advance, once for each reference."""
    asked = request.POST.get("about", "")
    told = {
        name: form(request.POST, request.FILES, auto_id=f"id_{name}_%s")
        if name == asked
        else form(auto_id=f"id_{name}_%s")
        for name, form in FORMS.items()
    }
    form = told.get(asked)
    if form is not None and form.is_valid():
        try:
            messages.success(request, _done(asked, form, request.user))
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            return redirect("accounts:payment_systems")
    context = {"systems": _shown(), "told": told, "paid_over": told[PAID_OVER]}
    wrong = form is not None and bool(form.errors)
    return render(request, "organizer/payment_systems.html", context, status=400 if wrong else 200)


def _done(asked: str, form: forms.Form, staff: User) -> str:
    """Do what the form asks; return what is said of it."""
    given = form.cleaned_data
    if asked == REPORT:
        read = reconcile_provider(**given, actor=staff.actor)
        said = ngettext("%(lines)s line is compared;", "%(lines)s lines are compared;", read.lines)
        words = _("new in the queue: %(new)s; lines that cannot be read: %(faults)s.")
        told = {"lines": read.lines, "new": read.new, "faults": ", ".join(map(str, read.faults)) or "0"}
        return f"{said} {words}" % told
    booked = note_paid_over(**given, by=staff) if asked == PAID_OVER else note_prefunded(**given, by=staff)
    return _("It is booked.") if booked else _("This reference was booked before; nothing is booked twice.")


def _shown() -> list[Shown]:
    accounts = {row.owner: row for row in LedgerAccount.objects.filter(kind=AccountKind.AT_PROVIDER)}
    queued = UnmatchedItem.objects.filter(closed_at__isnull=True).values("provider").annotate(number=Count("pk"))
    unmatched = {row["provider"]: row["number"] for row in queued.order_by()}
    return [
        Shown(
            name,
            ", ".join(settings.PAYMENT_PROVIDERS[name].get("currencies", [])),
            balance(accounts[name]) if name in accounts else 0,
            unmatched.get(name, 0),
        )
        for name in provider_names()
    ]
