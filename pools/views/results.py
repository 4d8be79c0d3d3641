"""The archive of results: every pool that is over, with what proves each of them (H2, X14)."""

from datetime import date
from typing import Any, cast

from django.db.models import Min, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pools.forms.finding import ArchiveForm
from pools.models import Pool
from pools.queries.finding import pools_named, pools_over
from pools.views.addresses import asked_again
from pools.views.result_rows import result_rows
from totalizator.core import clock
from totalizator.core.paging import page_of
from totalizator.core.replica import may_be_old
from totalizator.engine.deadlines import legal_day, start_of_legal_day

RESULTS_A_PAGE = 25


@may_be_old
def results(request: HttpRequest) -> HttpResponseBase:
    """List the pools that are over, the latest first, as the address asks."""
    today = clock.today()
    form = ArchiveForm(request.GET, first=_first_day(today), last=today)
    fine = form.is_valid()
    page = page_of(request, _asked(form) if fine else pools_over(), RESULTS_A_PAGE)
    context = {
        "form": form,
        "page": page,
        "rows": result_rows(cast(list[Pool], list(page.object_list))),
        "keep": asked_again(request.GET, form),
        "filtered": fine and any(form.cleaned_data.values()),
    }
    return render(request, "pools/results.html", context, status=200 if fine else 400)


def _asked(form: ArchiveForm) -> QuerySet[Pool]:
    asked: dict[str, Any] = form.cleaned_data
    days = form.days()
    since, until = (start_of_legal_day(day) for day in days) if days is not None else (None, None)
    pools = pools_over(since=since, until=until)
    if asked["game"]:
        pools = pools.filter(game=asked["game"])
    return pools_named(pools, asked["q"]) if asked["q"] else pools


def _first_day(today: date) -> date:
    first = pools_over().aggregate(first=Min("ended_at"))["first"]
    return legal_day(first) if first is not None else today
