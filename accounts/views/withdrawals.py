"""The organizer's page of withdrawals that wait: approved, or refused and put back on the account (F2)."""

from functools import partial

from django.contrib import messages
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.deciding import RefusalForm
from accounts.models import Withdrawal, WithdrawalState
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from totalizator.core.acting import do_by_button, form_of_row
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import add_refusal

WITHDRAWALS_A_PAGE = 25


@organizer_only
def withdrawals(request: PersonRequest) -> HttpResponseBase:
    """Show the withdrawals that wait for approval, the oldest first; refuse one of them."""
    form = RefusalForm(request.POST or None)
    if form.is_bound and form.is_valid():
        withdrawal = get_object_or_404(_withdrawals(), pk=form.cleaned_data["number"])
        try:
            cancel_withdrawal(withdrawal=withdrawal, reason=form.cleaned_data["reason"], actor=request.user)
        except DomainError as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The withdrawal is refused; its money is back on the account."))
            return redirect("accounts:desk_withdrawals")
    waiting = _withdrawals().filter(state=WithdrawalState.REQUESTED).order_by("requested_at", "pk")
    page = page_of(request, waiting, WITHDRAWALS_A_PAGE)
    shown = [(withdrawal, form_of_row(RefusalForm, withdrawal.pk, form)) for withdrawal in page]
    here = any(item is form for _withdrawal, item in shown)
    context = {"page": page, "shown": shown, "form": form if form.is_bound and not here else None}
    return render(request, "organizer/withdrawals.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Let a withdrawal be sent."""
    withdrawal = get_object_or_404(_withdrawals(), pk=number)
    do_by_button(
        request,
        partial(approve_withdrawal, withdrawal=withdrawal, approved_by=request.user),
        said=_("The withdrawal is approved."),
    )
    return redirect("accounts:desk_withdrawals")


def _withdrawals() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.select_related("account__player", "account__ledger_account", "instrument")
