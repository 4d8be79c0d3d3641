"""Shifts of all tills: which are open, what was counted, differences, and the reports of those that are closed (C2)."""

from functools import partial
from urllib.parse import urlencode

from django.db.models import F, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.forms.shifts import CountForm
from accounts.models import Shift, ZReport
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.shifts import close_shift
from accounts.services.z_reports import z_report_pdf
from accounts.views.asking import Question, ask

SHIFTS_A_PAGE = 50
MOST_NUMBER = 2**63 - 1


@organizer_only
def shifts(request: PersonRequest) -> HttpResponseBase:
    """List shifts, the latest first: all, those that are open, or those whose count differs."""
    show, code = request.GET.get("show", ""), request.GET.get("point", "").strip()[:12]
    rows, before = _chosen(show, code), request.GET.get("before", "")
    if before.isascii() and before.isdigit() and int(before) <= MOST_NUMBER:
        rows = rows.filter(pk__lt=int(before))
    listed = list(rows[: SHIFTS_A_PAGE + 1])
    older = ""
    if len(listed) > SHIFTS_A_PAGE:
        listed.pop()
        older = urlencode({"show": show, "point": code, "before": listed[-1].pk})
    context = {
        "shifts": [(shift, difference_of(shift)) for shift in listed],
        "older": older,
        "show": show,
        "point": code,
        "choices": [("", _("all")), ("open", _("shifts that are open")), ("differ", _("counts that differ"))],
    }
    return render(request, "organizer/points/shifts.html", context)


@organizer_only
def z_report(request: PersonRequest, number: int) -> HttpResponseBase:  # noqa: ARG001
    """Give the report of a closed shift as a PDF."""
    report = get_object_or_404(ZReport, shift=number)
    return HttpResponse(z_report_pdf(report), content_type="application/pdf")


@organizer_only
def close(request: PersonRequest, number: int) -> HttpResponseBase:
    """Close a shift whose cashier cannot, with the cash that was counted."""
    shift = get_object_or_404(Shift.objects.select_related("till__point", "cashier"), pk=number)
    question = Question(
        title=_("Close shift no. %(number)s at till %(till)s") % {"number": shift.number, "till": shift.till},
        button=_("Close the shift"),
        back=reverse("accounts:desk_till", args=[shift.till.point.code, shift.till.number]),
        back_to=_("till %(till)s") % {"till": shift.till},
        about=_("Count the cash. What differs from the books is written down as a shortage or an excess."),
        said=_("The shift is closed."),
        warns=_("A shift is closed by its cashier, %(name)s. Close it here only when the cashier cannot.")
        % {"name": shift.cashier.username},
    )
    return ask(
        request, CountForm(request.POST or None), partial(close_shift, shift=shift, closed_by=request.user), question
    )


def _chosen(show: str, code: str) -> QuerySet[Shift]:
    rows = Shift.objects.select_related("till__point", "cashier").order_by("-pk")
    if code:
        rows = rows.filter(till__point__code=code)
    match show:
        case "open":
            return rows.filter(closed_at__isnull=True)
        case "differ":
            return rows.filter(closed_at__isnull=False).exclude(counted=F("expected"))
    return rows


def difference_of(shift: Shift) -> int:
    """Return what was counted above what was expected, in kopecks; below zero: a shortage."""
    return shift.counted - shift.expected if shift.counted is not None and shift.expected is not None else 0
