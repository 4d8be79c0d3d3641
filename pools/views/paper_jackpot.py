"""The organizer's page of faulty paper forms: their money goes back, or by two people to the jackpot (¶17.1-17.2)."""

from functools import partial

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.forms.fields import MOST_NUMBER, reason_field
from accounts.permissions import PersonRequest, organizer_only
from pools.models import WhyRefused
from pools.queries.paper import forms_to_return
from pools.services.paper_jackpot import approve_form_to_jackpot, propose_form_to_jackpot
from totalizator.core.acting import do_by_button, done_by_form

FORMS_A_PAGE = 50
_MAY_GO = (WhyRefused.MISSING, WhyRefused.UNREADABLE)


class JackpotForm(forms.Form):
    """Which form's money shall go to the jackpot, and why."""

    number = forms.IntegerField(min_value=1, max_value=MOST_NUMBER, label=_("Number"))
    reason = reason_field()


@organizer_only
def faulty_forms(request: PersonRequest) -> HttpResponseBase:
    """List the refused forms whose money has not gone back; propose one for the jackpot."""
    form = JackpotForm(request.POST or None)
    if done_by_form(form, partial(propose_form_to_jackpot, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("pools:faulty_forms")
    rows = forms_to_return().select_related("till__point", "proposed_by").order_by("number")
    page = Paginator(rows, FORMS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "form": form, "may_go": _MAY_GO, "person": request.user}
    return render(request, "organizer/money/faulty_forms.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Book the money of a form into its till and from there into the jackpot."""
    do_by_button(
        request,
        partial(approve_form_to_jackpot, number=number, approved_by=request.user),
        said=_("The money of the form is in the jackpot."),
    )
    return redirect("pools:faulty_forms")
