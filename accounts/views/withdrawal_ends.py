"""The organizer's pages of withdrawals without an answer: two people say how they ended (F2)."""

from functools import partial

from django.contrib import messages
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.payments import EndForm
from accounts.models import Withdrawal, WithdrawalProposal, WithdrawalState
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.withdrawal_decisions import approve_end, propose_end
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

WITHDRAWALS_A_PAGE = 50
_UNCERTAIN = (WithdrawalState.UNKNOWN, WithdrawalState.SENT)


@organizer_only
def withdrawal_ends(request: PersonRequest) -> HttpResponseBase:
    """List the withdrawals that a payment system has and has not answered, the oldest first."""
    waiting = _sent().filter(state__in=_UNCERTAIN).order_by("moved_at", "pk")
    page = page_of(request, waiting, WITHDRAWALS_A_PAGE)
    proposals = WithdrawalProposal.objects.filter(withdrawal__in=list(page), decision__isnull=True)
    proposed = set(proposals.values_list("withdrawal_id", flat=True))
    context = {"page": page, "shown": [(withdrawal, withdrawal.pk in proposed) for withdrawal in page]}
    return render(request, "organizer/money/withdrawal_ends.html", context)


@organizer_only
def withdrawal_end(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one withdrawal with what was proposed; take a proposal while it is uncertain."""
    withdrawal = get_object_or_404(_sent(), pk=number)
    form = EndForm(request.POST or None) if withdrawal.state in _UNCERTAIN else None
    if form is not None and done_by_form(form, partial(propose_end, withdrawal=withdrawal, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:withdrawal_end", number=number)
    proposals = withdrawal.proposals.select_related("proposed_by", "decision__approved_by")
    context = {
        "withdrawal": withdrawal,
        "proposal": proposals.order_by("-pk").first(),
        "form": form,
        "person": request.user,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/withdrawal_end.html", context, status=status)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """End the withdrawal as another person proposed."""
    proposal = get_object_or_404(WithdrawalProposal, pk=number)
    do_by_button(
        request,
        partial(approve_end, proposal=proposal, approved_by=request.user),
        said=_("It is decided how the withdrawal ended."),
    )
    return redirect("accounts:withdrawal_end", number=proposal.withdrawal_id)


def _sent() -> QuerySet[Withdrawal]:
    """Return the withdrawals that go by a payment system; of the others the bank's statement tells."""
    rows = Withdrawal.objects.select_related("account__player", "instrument")
    return rows.exclude(instrument__provider="")
