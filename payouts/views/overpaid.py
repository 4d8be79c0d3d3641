"""The organizer's page of what corrected settlements show to be overpaid: one proposes, another approves (I10)."""

from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.overpaid import OverpaidForm
from payouts.models import CorrectedPayable, OverpaidDecision, OverpaidProposal, OverpaidState
from payouts.queries.corrections import overpaid_cases, standing_proposal, state_of_case
from payouts.services.overpaid import approve_overpaid, propose_overpaid
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

CASES_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case with where it stands; `form` takes a proposal until it is decided."""

    case: CorrectedPayable
    state: OverpaidState
    proposal: OverpaidProposal | None
    reclaimed: int
    form: OverpaidForm | None


@organizer_only
def overpaid(request: PersonRequest) -> HttpResponseBase:
    """Show the cases of all pools; take a proposal about one of them."""
    form = OverpaidForm(request.POST or None)
    if done_by_form(form, partial(propose_overpaid, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:overpaid")
    cases = overpaid_cases().order_by("-pool_id", "ticket", "kind")
    page = page_of(request, cases, CASES_A_PAGE)
    context = {"page": page, "shown": [_shown(case, form) for case in page], "form": form, "person": request.user}
    return render(request, "organizer/overpaid.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Decide about a case as another person proposed."""
    proposal = get_object_or_404(OverpaidProposal, pk=number)
    do_by_button(request, partial(approve_overpaid, proposal=proposal, approved_by=request.user))
    return redirect("payouts:overpaid")


def _shown(case: CorrectedPayable, asked: OverpaidForm) -> ShownCase:
    state, decision = state_of_case(case), OverpaidDecision.objects.filter(pk=case.pk).first()
    form = None
    if decision is None:
        named = {"ticket": case.ticket, "kind": case.kind}
        is_asked = asked.is_bound and all(asked.data.get(name) == value for name, value in named.items())
        form = asked if is_asked else OverpaidForm(initial=named, auto_id=f"id_{case.ticket}_{case.kind}_%s")
    return ShownCase(case, state, standing_proposal(case), decision.reclaimed if decision is not None else 0, form)
