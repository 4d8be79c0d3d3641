"""Further pages of the commission: evidence, and that a member must not decide (¶10, H4)."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, commission_only
from pools.forms.commission import ConflictForm, EvidenceForm
from pools.models import Evidence
from pools.services.conflicts import declare_conflict
from pools.services.evidence import file_evidence, read_evidence
from pools.views.my_pools import my_pool
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.names import localized
from totalizator.core.problem import add_refusal


@commission_only
def evidence(request: PersonRequest, code: str) -> HttpResponseBase:
    """List what is filed, and file more."""
    pool = my_pool(request, code)
    form = EvidenceForm(pool.terms, request.POST or None, request.FILES or None, initial={"captured_at": clock.now()})
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
    names = {condition.code: localized(condition.name) for condition in pool.terms.conditions}
    filed = [(each, names.get(each.condition)) for each in pool.evidence.select_related("filed_by").order_by("pk")]
    context = {"pool": pool, "form": form, "filed": filed}
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
