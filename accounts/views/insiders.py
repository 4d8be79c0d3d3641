"""The organizer's page of insiders: who knows too much to play is listed, and taken off the list (E6)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.vigilance import EndInsiderForm, InsiderForm
from accounts.models import Insider, InsiderKind, User
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.insiders import end_insider, list_insider
from totalizator.core.acting import done_by_form, form_of_row
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.paging import page_of

INSIDERS_A_PAGE = 50


@organizer_only
def insiders(request: PersonRequest) -> HttpResponseBase:
    """List those who may not play, or who once might not; put somebody on the list."""
    form = InsiderForm(request.POST or None)
    if done_by_form(form, partial(_list, request.user)):
        messages.success(request, _("The person is listed, and may not play from now on."))
        return redirect("accounts:insiders")
    return _page(request, form=form)


@organizer_only
def end(request: PersonRequest) -> HttpResponseBase:
    """Take somebody off the list."""
    if request.method != "POST":
        return redirect("accounts:insiders")
    form = EndInsiderForm(request.POST)
    if form.is_valid():
        insider = get_object_or_404(Insider, pk=form.cleaned_data["number"])
        act = partial(end_insider, insider=insider, ended_by=request.user)
        if done_by_form(form, lambda number, reason: act(reason=reason)):  # noqa: ARG005
            messages.success(request, _("The person is no longer listed."))
            return redirect("accounts:insiders")
    return _page(request, ended=form)


def _page(
    request: PersonRequest, *, form: InsiderForm | None = None, ended: EndInsiderForm | None = None
) -> HttpResponseBase:
    past = request.GET.get("state") == "ended"
    rows = Insider.objects.filter(ended_at__isnull=not past).select_related("user", "listed_by").order_by("-pk")
    page = page_of(request, rows, INSIDERS_A_PAGE)
    shown = [(insider, form_of_row(EndInsiderForm, insider.pk, ended)) for insider in page]
    wrong = (form is not None and form.errors) or (ended is not None and ended.errors)
    context = {
        "form": form or InsiderForm(),
        "page": page,
        "shown": shown,
        "past": past,
        "astray": ended if ended is not None and all(item is not ended for _insider, item in shown) else None,
    }
    return render(request, "organizer/insiders.html", context, status=400 if wrong else 200)


def _list(staff: User, identity_number: str, kind: str, username: str) -> Insider:
    """List somebody, with their own log-in where one is named."""
    user = User.objects.filter(username=username).first() if username else None
    if username and user is None:
        raise DomainError(Refusal.NOT_FOUND, _("There is nothing with this number or name."), field="username")
    return list_insider(identity_number=identity_number, kind=InsiderKind(kind), listed_by=staff, user=user)
