"""The organizer's page of dated numbers: what holds, what is to come; one proposes, another approves (N4, D-17)."""

from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.deciding import NumberForm
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.dated_numbers import standing_numbers
from accounts.services.dated_numbers import approve_number, propose_number
from accounts.services.withdrawn_proposals import withdraw_number
from totalizator.core import clock
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.legal_words import number_named
from totalizator.core.models import LegalNumber


@dataclass(slots=True)
class ShownNumber:
    """A number: the value that holds today, and those that will hold from a day to come."""

    name: str
    holds: LegalNumber | None
    to_come: list[LegalNumber]


@organizer_only
def numbers(request: PersonRequest) -> HttpResponseBase:
    """Show every number and what is proposed; take a proposal."""
    form = NumberForm(request.POST or None, initial={"name": request.GET.get("name", "")})
    if done_by_form(form, partial(propose_number, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:numbers")
    proposals = standing_numbers(clock.now()).select_related("proposed_by").order_by("proposed_at")
    context = {"form": form, "proposals": proposals, "numbers": _shown(), "person": request.user}
    return render(request, "organizer/numbers.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Enter the value that another person proposed."""
    do_by_button(
        request,
        partial(approve_number, number=number, approved_by=request.user),
        said=_("The value is entered; it holds from its day on."),
    )
    return redirect("accounts:numbers")


@organizer_only
def withdraw(request: PersonRequest, number: int) -> HttpResponseBase:
    """Take back a value that one has proposed oneself."""
    act = partial(withdraw_number, number=number, withdrawn_by=request.user)
    do_by_button(request, act, said=_("The proposal is taken back."))
    return redirect("accounts:numbers")


def _shown() -> list[ShownNumber]:
    today, shown = clock.today(), dict[str, ShownNumber]()
    for row in LegalNumber.objects.order_by("name", "valid_from", "pk"):
        number = shown.setdefault(row.name, ShownNumber(row.name, None, []))
        if row.valid_from <= today:
            number.holds = row
        else:
            number.to_come.append(row)
    return sorted(shown.values(), key=lambda number: number_named(number.name))
