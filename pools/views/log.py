"""The public log for people: its newest head, its lines, its growth, and a place to show a head that was kept (X6)."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pools.forms.public_log import GrowthForm, KeptHeadForm
from pools.models import LogEntry, LogHead, LogKind
from pools.queries.log_proofs import growth_proof, head_shown, newest_head
from pools.queries.log_stamps import stamp_standings
from pools.services.kept_heads import growth_verdict, judge_head
from totalizator.core.paging import page_of

LINES_A_PAGE = 50


def public_log(request: HttpRequest) -> HttpResponseBase:
    """Show the log; a POST shows it a head that somebody kept, and changes nothing."""
    newest = newest_head()
    if newest is None:
        return render(request, "pools/log.html", {"newest": None})
    indexes = range(newest.size - 1, -1, -1)
    page = page_of(request, indexes, LINES_A_PAGE)
    growth = GrowthForm(request.GET if "first" in request.GET else None, size=newest.size)
    kept = KeptHeadForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {
        "newest": newest,
        "stamps": stamp_standings(),
        "document": head_shown(newest),
        "page": page,
        "lines": LogEntry.objects.filter(index__in=list(page.object_list)).order_by("-index"),
        "of_no_pool": LogKind.JOURNAL,
        "growth": growth,
        "kept": kept,
    }
    if growth.is_valid():
        context |= _grown(growth.cleaned_data["first"], growth.cleaned_data["second"])
    if kept.is_valid():
        context["judged"] = judge_head(kept.cleaned_data["head"], newest)
    fine = not growth.errors and not kept.errors
    return render(request, "pools/log.html", context, status=200 if fine else 400)


def _grown(first: int, second: int) -> dict[str, Any]:
    """Prove the growth between two sizes, and let the engine judge the proof."""
    heads = {head.size: head for head in LogHead.objects.filter(size__in=[first, second])}
    proof = growth_proof(heads[first], heads[second])
    holds, told = growth_verdict(proof)
    return {"proof": proof, "holds": holds, "told": told}
