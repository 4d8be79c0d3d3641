"""What a correction changed, ticket by ticket, and the organizer's page on which one is given up (H5)."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.organizing import AbandonmentForm
from pools.models import AbandonmentProposal, Correction
from pools.queries.corrections import in_force, unsealed_correction
from pools.services.abandoning import approve_abandonment, propose_abandonment
from pools.services.protocols import signatures_under
from pools.snapshots.changes import changed_page, count_changed
from pools.views.reading import pool_or_404
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of

CHANGES_A_PAGE = 100


def changes(request: HttpRequest, code: str) -> HttpResponseBase:
    """List every ticket whose winning or returned stake the correction changed."""
    pool = pool_or_404(request, code)
    correction = in_force(pool)
    if not isinstance(correction, Correction):
        raise Http404
    page = page_of(request, range(count_changed(pool)), CHANGES_A_PAGE)
    rows = changed_page(pool, max(0, page.start_index() - 1), CHANGES_A_PAGE)
    context = {"pool": pool, "correction": correction, "page": page, "rows": rows}
    return render(request, "pools/changes.html", context)


@organizer_only
def abandon(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show the correcting protocol that is being signed, and propose to give it up."""
    pool = pool_or_404(request, code)
    protocol = unsealed_correction(pool)
    form = AbandonmentForm(request.POST or None)
    if done_by_form(form, partial(propose_abandonment, code=code, proposed_by=request.user)):
        messages.success(request, _("Proposed. Another person must approve it."))
        return redirect("pools:abandon", code=code)
    proposal = None
    if protocol is not None:
        proposals = AbandonmentProposal.objects.filter(pool=pool, version=protocol.version)
        proposal = proposals.select_related("proposed_by").order_by("-pk").first()
    context = {
        "pool": pool,
        "protocol": protocol,
        "signatures": signatures_under(protocol).count() if protocol is not None else 0,
        "need": pool.terms.quorum.need if pool.terms.quorum else 0,
        "proposal": proposal,
        "proposed_by_me": proposal is not None and proposal.proposed_by_id == request.user.pk,
        "form": form,
    }
    return render(request, "organizer/abandon.html", context, status=400 if form.errors else 200)


@organizer_only
def approve_giving_up(request: PersonRequest, code: str) -> HttpResponseBase:
    """Give the protocol up as another person proposed: the number of the proposal comes with the form."""
    pool = pool_or_404(request, code)
    number = request.POST.get("number", "")
    if request.method == "POST" and number.isdecimal():
        proposal = get_object_or_404(AbandonmentProposal, pool=pool, pk=int(number[:9]))
        approve_abandonment(proposal=proposal, approved_by=request.user)
        messages.success(request, _("The correcting protocol is given up; paying goes on."))
    return redirect("pools:abandon", code=code)
