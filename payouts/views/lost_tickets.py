"""The organizer's pages of claims to lost tickets and of large payments: by two people (K1, K4)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.deciding import ClaimDecisionForm
from payouts.models import LIVE, ClaimProposal, ClaimState, LargePayment, TicketClaim
from payouts.queries.ticket_claims import live_claims
from payouts.queries.waiting.of_tickets import large_payments as waiting_payments
from payouts.services.large_payments import approve_large_payment
from payouts.services.ticket_claims import approve_decision, propose_decision
from pools.snapshots.pool_archives import bet_with_ticket
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

CLAIMS_A_PAGE = 50


@organizer_only
def ticket_claims(request: PersonRequest) -> HttpResponseBase:
    """List the claims that hold a ticket, or those of another state."""
    state, rows = request.GET.get("state", ""), TicketClaim.objects.order_by("opened_at", "pk")
    rows = rows.filter(state=state) if state in ClaimState.values else rows.filter(state__in=LIVE)
    page = page_of(request, rows, CLAIMS_A_PAGE)
    context = {"page": page, "states": ClaimState.choices, "chosen": state}
    return render(request, "organizer/ticket_claims.html", context)


@organizer_only
def ticket_claim(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one claim with its bet and what was proposed; take a proposal."""
    claim = get_object_or_404(TicketClaim.objects.select_related("pool", "opened_by"), pk=number)
    form = ClaimDecisionForm(request.POST or None) if claim.state in LIVE else None
    if form is not None and done_by_form(form, partial(propose_decision, claim=claim, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:ticket_claim", number=number)
    proposal = claim.proposals.select_related("proposed_by", "decision__approved_by").order_by("-pk").first()
    decided = proposal is not None and hasattr(proposal, "decision")
    context = {
        "claim": claim,
        "bet": bet_with_ticket(claim.ticket, claim.pool.code),
        "others": live_claims(claim.pool_id, claim.ticket).exclude(pk=claim.pk).order_by("pk"),
        "form": form,
        "proposal": proposal,
        "decided": decided,
        "may_approve": proposal is not None
        and not decided
        and request.user.pk not in (proposal.proposed_by_id, claim.opened_by_id),
        "took_it": claim.opened_by_id == request.user.pk,
    }
    return render(
        request, "organizer/ticket_claim.html", context, status=400 if form is not None and form.errors else 200
    )


@organizer_only
def approve_claim(request: PersonRequest, number: int) -> HttpResponseBase:
    """Decide about a claim as another person proposed."""
    proposal = get_object_or_404(ClaimProposal.objects.select_related("claim"), pk=number)
    do_by_button(
        request, partial(approve_decision, proposal=proposal, approved_by=request.user), said=_("The claim is decided.")
    )
    return redirect("payouts:ticket_claim", number=proposal.claim_id)


@organizer_only
def large_payments(request: PersonRequest) -> HttpResponseBase:
    """List the large payments that wait for another person."""
    rows = waiting_payments().rows.select_related("pool", "point", "prepared_by").order_by("prepared_at")
    page = page_of(request, rows, CLAIMS_A_PAGE)
    return render(request, "organizer/large_payments.html", {"page": page, "person": request.user})


@organizer_only
def approve_large(request: PersonRequest, number: int) -> HttpResponseBase:
    """Approve a large payment that another person prepared."""
    payment = get_object_or_404(LargePayment, pk=number)
    do_by_button(
        request,
        partial(approve_large_payment, payment=payment, approved_by=request.user),
        said=_("The payment is approved; the desk can pay it now."),
    )
    return redirect("payouts:large_payments")
