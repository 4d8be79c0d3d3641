"""Further pages of the commission: evidence, conflicts, entries side by side, dissent, corrections (¶10, H4, H5)."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.commission import ConflictForm, CorrectionForm, DissentForm, EvidenceForm
from pools.models import Evidence
from pools.services.conflicts import declare_conflict
from pools.services.differing import entries_side_by_side
from pools.services.dissents import dissent
from pools.services.evidence import file_evidence, read_evidence
from pools.services.results import correct_result
from pools.views.commission import after_entry, my_pool, place_name
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal


@commission_only
def evidence(request: PersonRequest, code: str) -> HttpResponseBase:
    """List what is filed, and file more."""
    pool = my_pool(request, code)
    form = EvidenceForm(pool.terms, request.POST or None, request.FILES or None)
    if form.is_bound and form.is_valid():
        told = form.cleaned_data
        try:
            file_evidence(
                code=code,
                condition=told["condition"],
                source=told["source"],
                address=told["address"],
                captured_at=told["captured_at"],
                content=told["file"].read(),
                original_name=told["file"].name,
                filed_by=request.user,
            )
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Filed."))
            return redirect("pools:evidence", code=code)
    context = {"pool": pool, "form": form, "filed": pool.evidence.select_related("filed_by").order_by("pk")}
    return render(request, "commission/evidence.html", context, status=400 if form.errors else 200)


@commission_only
def evidence_file(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Send a filed file, to be kept and not to be looked at in the browser."""
    pool = my_pool(request, code)
    return sent_evidence(get_object_or_404(Evidence, pool=pool, pk=number))


def sent_evidence(evidence: Evidence) -> HttpResponse:
    """Return a filed file under a name of ours: what it was called says nothing of what it is."""
    answer = HttpResponse(read_evidence(evidence), content_type=evidence.content_type)
    ending = str(evidence.file).rpartition(".")[2]
    answer["Content-Disposition"] = f'attachment; filename="evidence-{evidence.pk}.{ending}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@commission_only
def conflict(request: PersonRequest, code: str) -> HttpResponseBase:
    """Declare that one must not decide this pool."""
    pool = my_pool(request, code)
    form = ConflictForm(request.POST or None)
    if done_by_form(form, partial(declare_conflict, code=code, member=request.user)):
        messages.success(request, _("Declared. You decide nothing in this pool."))
        return redirect("pools:commission")
    return render(request, "commission/conflict.html", {"pool": pool, "form": form}, status=400 if form.errors else 200)


@commission_only
def differences(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show the two entries side by side to the two who made them."""
    pool = my_pool(request, code)
    shown = entries_side_by_side(pool, request.user)
    rows = [(place_name(each.place), _shown(each.one), _shown(each.other)) for each in shown.differences]
    return render(request, "commission/differences.html", {"pool": pool, "shown": shown, "rows": rows})


@commission_only
def disagree(request: PersonRequest, code: str) -> HttpResponseBase:
    """Say why one disagrees with the protocol."""
    pool = my_pool(request, code)
    form = DissentForm(request.POST or None)
    if done_by_form(form, partial(dissent, code=code, member=request.user)):
        messages.success(request, _("Your dissent is recorded."))
        return redirect("pools:protocol", code=code)
    return render(request, "commission/dissent.html", {"pool": pool, "form": form}, status=400 if form.errors else 200)


@commission_only
def correct(request: PersonRequest, code: str) -> HttpResponseBase:
    """Enter what the result should have been; the page is that of a first result, and asks why."""
    pool = my_pool(request, code)
    filed = list(pool.evidence.order_by("pk"))
    form = CorrectionForm(pool.terms, request.POST or None, evidence=filed)
    if form.is_bound and form.is_valid():
        told = form.cleaned_data
        try:
            progress = correct_result(
                code=code,
                member=request.user,
                result=form.result(),
                reason=told["reason"],
                document=told["document"],
                evidence=form.evidence(),
            )
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            return after_entry(request, pool, progress)
    context = {"pool": pool, "form": form, "has_evidence": bool(filed), "corrects": True}
    return render(request, "commission/enter.html", context, status=400 if form.errors else 200)


def _shown(said: object) -> str:
    if isinstance(said, list):
        return ", ".join(said)
    if said is None or isinstance(said, bool):
        return _("yes") if said else _("no")
    return _("did not take place") if said == "void" else str(said)
