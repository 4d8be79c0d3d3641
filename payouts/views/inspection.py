"""Reports and the journal as pages, for the regulator and the organizer's staff: nothing changes by them (N1-N6)."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, inspector_only
from payouts.documents.reports import MEDIA_TYPES, about, nothing_happened, shown, totals_row
from payouts.forms.inspection import JournalForm, ReportForm
from payouts.queries.inspection import journal_of
from payouts.queries.reports.shape import Cell, Holds, Report
from payouts.services.reports import REPORTS, make_report
from totalizator.core import clock
from totalizator.core.act_names import ACT_NAMES
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal

MOST_ROWS, RECORDS_A_PAGE = 1_000, 50


@inspector_only
def reports(request: PersonRequest) -> HttpResponseBase:
    """List the reports that there are."""
    return render(request, "inspection/reports.html", {"kinds": REPORTS.values()})


@inspector_only
def one_report(request: PersonRequest, name: str) -> HttpResponseBase:
    """Ask for the days of a report, and show it with its totals and its files."""
    kind = REPORTS.get(name)
    if kind is None:
        raise Http404
    today = clock.today()
    days = {"first": today.replace(day=1), "last": today}
    form = ReportForm(kind, request.GET or None, initial=days)
    context = {"kind": kind, "form": form}
    if form.is_bound and form.is_valid():
        first, last, chosen = form.cleaned_data["first"], form.cleaned_data["last"], form.chosen()
        try:
            report = make_report(name, first, last, chosen)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            asked = urlencode({"first": first.isoformat(), "last": last.isoformat(), **chosen})
            context |= _on_page(report) | {"asked": asked, "forms": sorted(MEDIA_TYPES)}
    return render(request, "inspection/report.html", context, status=400 if form.errors else 200)


@inspector_only
def journal(request: PersonRequest) -> HttpResponseBase:
    """Show who did what, the latest first, a page at a time."""
    form = JournalForm(request.GET)
    records, older = [], ""
    if form.is_valid():
        rows = journal_of(form.chosen()).order_by("-pk")
        if form.cleaned_data["before"] is not None:
            rows = rows.filter(pk__lt=form.cleaned_data["before"])
        records = list(rows[: RECORDS_A_PAGE + 1])
        if len(records) > RECORDS_A_PAGE:
            records.pop()
            asked = {name: value for name, value in request.GET.items() if name in form.fields and name != "before"}
            older = urlencode({**asked, "before": records[-1].pk})
    acts = sorted((str(title), act) for act, title in ACT_NAMES.items())
    context = {"form": form, "records": records, "older": older, "acts": acts}
    return render(request, "inspection/journal.html", context, status=200 if form.is_valid() else 400)


def _on_page(report: Report) -> dict[str, object]:
    """Return what the page shows: of a long report the first rows, but the totals of all."""
    hidden = max(0, len(report.rows) - MOST_ROWS)
    return {
        "report": report,
        "about": about(report),
        "columns": [(str(column.title), column.holds != Holds.TEXT) for column in report.kind.columns],
        "rows": [_cells(report, row) for row in report.rows[:MOST_ROWS]],
        "totals": _cells(report, totals_row(report)) if report.totals else [],
        "nothing": nothing_happened(),
        "hidden": _("Rows that are in the files alone: %(number)s; the totals count them.") % {"number": hidden}
        if hidden
        else "",
    }


def _cells(report: Report, row: Sequence[Cell]) -> list[tuple[str, bool]]:
    columns = zip(row, report.kind.columns, strict=True)
    return [(shown(cell, column), column.holds != Holds.TEXT) for cell, column in columns]
