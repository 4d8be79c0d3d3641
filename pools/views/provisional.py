"""The organizer's page of how a pool stands while it is played: entered by hand, or what a feed says (O2, U2)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.provisional import ProvisionalForm
from pools.models import PoolState, ProvisionalResult, ResultProposal
from pools.queries.provisional import known_so_far
from pools.services.provisional import enter_provisional, publish_proposal
from pools.services.result_feeds import side_by_side, told_by
from pools.views.alive import feed_named
from pools.views.marks import judged_rows
from pools.views.reading import pool_or_404
from totalizator.core.acting import do_by_button, done_by_form

MOST_SHOWN = 20


@organizer_only
def provisional(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show what is told and what feeds say; tell how conditions stand."""
    pool = pool_or_404(request, code)
    known = known_so_far(pool)
    form = ProvisionalForm(pool.terms, known.told, request.POST if request.method == "POST" else None)
    if done_by_form(form, partial(enter_provisional, code=code, entered_by=request.user)):
        messages.success(request, _("Everybody is told how the pool stands."))
        return redirect("pools:provisional", code=code)
    heard = side_by_side(pool)
    latest = known.latest.proposal_id if known.latest is not None else None
    told = ProvisionalResult.objects.filter(pool=pool).select_related("proposal__feed", "published_by")
    context = {
        "pool": pool,
        "form": form,
        "can_tell": pool.state == PoolState.CLOSED,
        "heard": [
            (each, feed_named(each.feed.name), judged_rows(pool.terms, None, told_by(each)["conditions"]))
            for each in heard.proposals
            if each.pk != latest
        ],
        "differing": heard.differing,
        "told": [
            (row, feed_named(row.proposal.feed.name))
            for row in told.defer("proposal__file").order_by("-pk")[:MOST_SHOWN]
        ],
    }
    return render(request, "organizer/provisional.html", context, status=400 if form.errors else 200)


@organizer_only
def publish(request: PersonRequest, code: str, number: int) -> HttpResponseBase:
    """Tell everybody what a feed says."""
    proposal = get_object_or_404(ResultProposal, pool=pool_or_404(request, code), pk=min(number, 2**63 - 1))
    do_by_button(
        request,
        partial(publish_proposal, proposal=proposal, published_by=request.user),
        said=_("Everybody is told how the pool stands."),
    )
    return redirect("pools:provisional", code=code)
