"""The organizer's page of bets made in breach of the rules: one person proposes, another cancels (¶29)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.deciding import BreachForm
from payouts.queries.waiting.of_tickets import standing_cancellations
from payouts.services.bet_cancelling import approve_bet_cancellation, propose_bet_cancellation
from pools.models import Bet, BetCancellation, BetCancellationProposal
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

BETS_A_PAGE = 25


@organizer_only
def cancelled_bets(request: PersonRequest) -> HttpResponseBase:
    """Take a proposal; show those that wait for another person, and what was cancelled."""
    form = BreachForm(request.POST or None, initial={"ticket": request.GET.get("ticket", "")})
    if done_by_form(form, partial(propose_bet_cancellation, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:cancelled_bets")
    standing = standing_cancellations().select_related("pool", "proposed_by").order_by("proposed_at")
    page = page_of(request, standing, BETS_A_PAGE)
    bets = {bet.ticket: bet for bet in Bet.objects.filter(ticket__in=[proposal.ticket for proposal in page])}
    done = BetCancellation.objects.select_related("pool", "approved_by").order_by("-cancelled_at")
    context = {
        "form": form,
        "page": page,
        "shown": [
            (proposal, bets.get(proposal.ticket) or bet_with_ticket(proposal.ticket, proposal.pool.code))
            for proposal in page
        ],
        "cancelled": done[:BETS_A_PAGE],
        "person": request.user,
    }
    return render(request, "organizer/cancelled_bets.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Cancel a bet as another person proposed."""
    proposal = get_object_or_404(BetCancellationProposal, pk=number)
    do_by_button(
        request,
        partial(approve_bet_cancellation, proposal=proposal, approved_by=request.user),
        said=_("The bet is cancelled; its stake is returned."),
    )
    return redirect("payouts:cancelled_bets")
