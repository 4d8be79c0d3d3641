"""The organizer's page of pauses: sales are stopped at once by one person, and resumed with what was found (T2)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.system import OutcomeForm, PauseForm
from pools.models import Incident, IncidentState
from pools.services.pausing import pause_sales, resume_sales
from totalizator.core.acting import done_by_form, form_of_row, is_of_row
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

ENDED_A_PAGE = 25


@organizer_only
def pauses(request: PersonRequest) -> HttpResponseBase:
    """Show what is paused and what was; pause something more."""
    form = PauseForm(request.POST or None, initial={"pool_code": request.GET.get("pool", "")})
    if done_by_form(form, partial(pause_sales, paused_by=request.user)):
        messages.success(request, _("Sales are paused. No bet that it is about is taken from now on."))
        return redirect("pools:pauses")
    return _page(request, form=form)


@organizer_only
def resume(request: PersonRequest) -> HttpResponseBase:
    """End a pause, with what was found and done."""
    form = OutcomeForm(request.POST or None)
    if form.is_bound and form.is_valid():
        incident = get_object_or_404(Incident, pk=form.cleaned_data["number"])
        try:
            resume_sales(incident=incident, outcome=form.cleaned_data["outcome"], resumed_by=request.user)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The pause has ended; sales go on unless another one stops them."))
            return redirect("pools:pauses")
    return _page(request, ending=form) if form.is_bound else redirect("pools:pauses")


def _page(
    request: PersonRequest, *, form: PauseForm | None = None, ending: OutcomeForm | None = None
) -> HttpResponseBase:
    rows = Incident.objects.select_related("pool", "point", "started_by", "ended_by")
    still = list(rows.filter(state=IncidentState.OPEN).order_by("-pk"))
    page = page_of(request, rows.filter(state=IncidentState.ENDED).order_by("-pk"), ENDED_A_PAGE)
    context = {
        "form": form or PauseForm(),
        "shown": [(incident, form_of_row(OutcomeForm, incident.pk, ending)) for incident in still],
        "page": page,
        "asked": bool(request.GET.get("pool")),
        "lost": None if any(is_of_row(ending, incident.pk) for incident in still) else ending,
    }
    wrong = any(asked is not None and asked.errors for asked in (form, ending))
    return render(request, "organizer/pauses.html", context, status=400 if wrong else 200)
