"""The organizer's pages of deposits that are held: given back by two people, once (F1, ¶41)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.payments import ReturnForm
from accounts.models import DepositReturn, HeldDeposit, HeldState, Mismatch, ReturnState
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.deposit_returns import approve_return, propose_return
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of
from totalizator.core.problem import TITLES

DEPOSITS_A_PAGE = 50


@organizer_only
def held_deposits(request: PersonRequest) -> HttpResponseBase:
    """List what is held, the oldest first, or what was credited or given back."""
    chosen = request.GET.get("state", "")
    state = HeldState(chosen) if chosen in HeldState.values else HeldState.HELD
    rows = HeldDeposit.objects.filter(state=state).select_related("deposit__account__player")
    ordered = rows.order_by("held_at", "pk") if state == HeldState.HELD else rows.order_by("-moved_at", "-pk")
    page = page_of(request, ordered, DEPOSITS_A_PAGE)
    context = {
        "page": page,
        "shown": [(held, _why(held)) for held in page],
        "tabs": [(each.label, f"?state={each.value}", each == state) for each in HeldState],
        "keep": f"state={state.value}&",
    }
    return render(request, "organizer/money/held_deposits.html", context)


@organizer_only
def held_deposit(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show one deposit with what was done to give it back; take a proposal."""
    held = get_object_or_404(HeldDeposit.objects.select_related("deposit__account__player"), pk=number)
    form = ReturnForm(request.POST or None) if held.state == HeldState.HELD else None
    if form is not None and done_by_form(form, partial(_propose, request, held)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("accounts:held_deposit", number=number)
    returns = list(held.returns.select_related("proposed_by", "approved_by").order_by("-pk"))
    waits = next(iter(returns), None)
    context = {
        "held": held,
        "why": _why(held),
        "returns": returns,
        "proposal": waits if waits is not None and waits.state == ReturnState.PROPOSED else None,
        "form": form,
        "person": request.user,
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/held_deposit.html", context, status=status)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Let what another person proposed be carried out."""
    proposal = get_object_or_404(DepositReturn.objects.select_related("held__deposit"), pk=number)
    do_by_button(
        request,
        partial(approve_return, proposal=proposal, approved_by=request.user),
        said=_("It is approved: the document counts, or the payment system will be asked."),
    )
    return redirect("accounts:held_deposit", number=proposal.held_id)


def _propose(request: PersonRequest, held: HeldDeposit, *, reason: str, way: str, document: str) -> None:
    propose_return(
        held=held, reason=reason, document=document, returned=way != "not_returned", proposed_by=request.user
    )


def _why(held: HeldDeposit) -> str:
    """Say why it may not be credited: the code of what was refused, or another amount."""
    return str(Mismatch.AMOUNT.label if held.why == Mismatch.AMOUNT else TITLES.get(held.why, held.why))
