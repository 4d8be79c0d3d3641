"""The register of betting points: found, registered, switched off and on (¶9.2-9.7, C1)."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

from django.db.models import Q, QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import FindPointsForm, PointForm, SwitchForm
from accounts.models import BettingPoint
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.point_documents import papers_wanting
from accounts.queries.points import in_town, near_their_limits, points_with_cash, towns
from accounts.services.points import register_point
from accounts.services.switching import switch_point
from accounts.views.asking import Question, ask
from totalizator.core import clock
from totalizator.core.legal import legal_number
from totalizator.core.paging import kept, page_of

POINTS_A_PAGE = 50


@organizer_only
def points(request: PersonRequest) -> HttpResponseBase:
    """List the points that are looked for, with their cash beside its limit and what their papers lack."""
    day, form = clock.today(), FindPointsForm(list(towns()), request.GET)
    until = warned_until(day)
    rows = points_with_cash(day).select_related("agent").order_by("code")
    page = page_of(request, _found(rows, form, until), POINTS_A_PAGE)
    wanting = papers_wanting(BettingPoint.objects.filter(pk__in=[point.pk for point in page]), until)
    shown = [(point, _paper_state(wanting.get(point.pk, []), day)) for point in page]
    context = {"form": form, "page": page, "shown": shown, "keep": kept(request), "by_name": True}
    return render(request, "organizer/points/points.html", context, status=200 if form.is_valid() else 400)


@organizer_only
def new_point(request: PersonRequest) -> HttpResponseBase:
    """Register a point."""
    form = PointForm(request.POST or None)
    question = Question(
        title=_("New point"),
        button=_("Register the point"),
        back=reverse("accounts:points"),
        back_to=_("Betting points"),
        about=_("It sells once its papers are on file, a till is examined and a shift is open."),
        said=_("The point is registered."),
    )
    act = partial(register_point, by=request.user)
    return ask(request, form, act, question, lambda: reverse("payouts:point", args=[form.cleaned_data["code"]]))


@organizer_only
def switch(request: PersonRequest, code: str) -> HttpResponseBase:
    """Switch a point off, or on again, and say why."""
    point = get_object_or_404(BettingPoint, code=code)
    form = SwitchForm(request.POST or None, stands=point.enabled)
    on = form.wanted
    question = Question(
        title=_("Switch point %(code)s on") % {"code": code} if on else _("Switch point %(code)s off") % {"code": code},
        button=_("Switch on") if on else _("Switch off"),
        back=reverse("payouts:point", args=[code]),
        back_to=f"{point.code} {point.name}",
        said=_("The point is on.") if on else _("The point is off: nothing is sold or paid there."),
        warns="" if on else _("No till and no terminal of the point sells or pays once this is done."),
    )
    return ask(request, form, partial(switch_point, point=point, by=request.user), question)


def warned_until(day: date) -> date:
    """Return the day until which papers must last not to be warned of, by the dated number."""
    return day + timedelta(days=int(legal_number("expiry_warning_days", day)))


def _found(rows: QuerySet[BettingPoint], form: FindPointsForm, until: date) -> QuerySet[BettingPoint]:
    if not form.is_valid():
        return rows
    asked = form.cleaned_data
    for word in asked["q"].split():
        rows = rows.filter(Q(code__icontains=word) | Q(name__icontains=word) | Q(address__icontains=word))
    if asked["kind"]:
        rows = rows.filter(kind=asked["kind"])
    if asked["town"]:
        rows = in_town(rows, asked["town"])
    match asked["show"]:
        case "on" | "off":
            return rows.filter(enabled=asked["show"] == "on")
        case "papers":
            wanting = papers_wanting(BettingPoint.objects.filter(enabled=True), until)
            return rows.filter(pk__in=wanting)
        case "cash":
            return rows.filter(pk__in=[point.point_id for point in near_their_limits(clock.today())])
    return rows


def _paper_state(wanting: Sequence[tuple[object, date | None]], day: date) -> str:
    """Tell whether a point lacks a paper today, will lack one soon, or has all."""
    if any(last_day is None or last_day < day for _kind, last_day in wanting):
        return "missing"
    return "ending" if wanting else ""
