"""A betting point on one page: papers, tills, cash beside its limit, the day's turnover; its sales paused (C1, T2)."""

from dataclasses import dataclass
from datetime import date

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.points import ReasonForm, SwitchForm
from accounts.models import STATIONARY, BettingPoint, CashLimit, DocumentKind, PointDocument, TakingsAgreement
from accounts.permissions import PersonRequest, organizer_only
from accounts.queries.point_documents import documents_on
from accounts.queries.points import points_with_cash, terminals_on, tills_on
from accounts.services.desks import links_since
from accounts.views.asking import Question, ask
from accounts.views.points.register import warned_until
from payouts.queries.central_desks import central_points
from payouts.queries.points import turnover_of_point
from payouts.services.central_desks import appoint_central_desk
from pools.models import Incident, IncidentState
from pools.services.pausing import pause_sales, resume_sales
from totalizator.core import clock

MOST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Paper:
    """One of the six papers of ¶9.4 as it counts today: `state` is good, ending, over or missing."""

    kind: DocumentKind
    document: PointDocument | None
    state: str


@organizer_only
def point(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show a point with all that decides whether it sells and pays."""
    day = clock.today()
    shown = get_object_or_404(points_with_cash(day).select_related("agent"), code=code)
    agreements = TakingsAgreement.objects.filter(valid_from__lte=day)
    own = agreements.filter(point=shown).order_by("-pk").first()
    context = {
        "point": shown,
        "today": day,
        "papers": _papers(shown, day) if shown.kind in STATIONARY else [],
        "tills": tills_on(day).filter(point=shown).order_by("closed_at", "number")[:MOST_SHOWN],
        "terminals": terminals_on(day).filter(till__point=shown).order_by("till__number", "pk")[:MOST_SHOWN],
        "links_since": links_since(clock.now()),
        "limits": CashLimit.objects.filter(point=shown)
        .select_related("recorded_by")
        .order_by("-valid_from", "-pk")[:5],
        "agreement": own or agreements.filter(point__isnull=True).order_by("-pk").first(),
        "turnover": turnover_of_point(shown.pk, day),
        "is_central": central_points().filter(pk=shown.pk).exists(),
        "pauses": Incident.objects.filter(point=shown, state=IncidentState.OPEN).select_related("pool").order_by("pk"),
    }
    return render(request, "organizer/points/point.html", context)


@organizer_only
def pause(request: PersonRequest, code: str) -> HttpResponseBase:
    """Pause the sale of bets at a point, and say why."""
    paused, form = get_object_or_404(BettingPoint, code=code), ReasonForm(request.POST or None)
    question = Question(
        title=_("Pause sales at point %(code)s") % {"code": code},
        button=_("Pause sales"),
        back=_page(code),
        back_to=f"{paused.code} {paused.name}",
        about=_("No bet is registered there until the pause is ended; winnings are paid on."),
        said=_("Sales at the point are paused."),
    )
    return ask(request, form, lambda reason: pause_sales(cause=reason, paused_by=request.user, point=paused), question)


@organizer_only
def resume(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """End a pause of a point, and say what was found and done."""
    incident = get_object_or_404(Incident.objects.select_related("point"), pk=number, point__code=code)
    form = ReasonForm(request.POST or None)
    form.fields["reason"].label = _("What was found and done")
    question = Question(
        title=_("End the pause of sales at point %(code)s") % {"code": code},
        button=_("Let sales go on"),
        back=_page(code),
        back_to=str(incident.point),
        about=_("Sales go on unless another pause stops them."),
        said=_("The pause is ended."),
    )
    return ask(
        request, form, lambda reason: resume_sales(incident=incident, outcome=reason, resumed_by=request.user), question
    )


@organizer_only
def central(request: PersonRequest, code: str) -> HttpResponseBase:
    """Make a point a central desk, where large winnings are paid, or one no longer."""
    chosen = get_object_or_404(BettingPoint, code=code)
    form = SwitchForm(request.POST or None, stands=central_points().filter(pk=chosen.pk).exists())
    becomes = form.wanted
    question = Question(
        title=_("Make point %(code)s a central desk") % {"code": code}
        if becomes
        else _("Point %(code)s: a central desk no longer") % {"code": code},
        button=_("Make it a central desk") if becomes else _("No longer a central desk"),
        back=_page(code),
        back_to=f"{chosen.code} {chosen.name}",
        about=_("Large winnings are paid in cash at central desks alone."),
        said=_("The point is a central desk.") if becomes else _("The point is a central desk no longer."),
    )

    def appoint(*, on: bool, reason: str) -> None:
        appoint_central_desk(point=chosen, is_central=on, reason=reason, by=request.user)

    return ask(request, form, appoint, question)


def _papers(point: BettingPoint, day: date) -> list[Paper]:
    standing, until = documents_on(point, day), warned_until(day)
    return [Paper(kind, standing.get(kind), _state(standing.get(kind), day, until)) for kind in DocumentKind]


def _state(document: PointDocument | None, day: date, until: date) -> str:
    if document is None:
        return "missing"
    if document.valid_until is None or document.valid_until >= until:
        return "good"
    return "ending" if document.valid_until >= day else "over"


def _page(code: str) -> str:
    return reverse("payouts:point", args=[code])
