"""Opening and closing the shift at the cashier's own till, and its report (C2)."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.shifts import CountForm
from accounts.models import Shift, Till, ZReport
from accounts.permissions import PersonRequest, cashier_only
from accounts.services.shifts import close_shift, open_shift, open_shift_of
from accounts.services.z_reports import z_report_pdf
from accounts.views.till_cash import cash_of
from totalizator.core.errors import DomainError
from totalizator.core.problem import add_refusal


@cashier_only
def opening(request: PersonRequest) -> HttpResponseBase:
    """Open the shift with the cash counted."""
    till = get_object_or_404(Till.objects.select_related("point", "ledger_account"), cashier=request.user)
    return _count(
        request, till, None, lambda counted, reason: open_shift(
            till=till, cashier=request.user, counted=counted, reason=reason
        )
    )  # fmt: skip


@cashier_only
def closing(request: PersonRequest) -> HttpResponseBase:
    """Close the open shift with the cash counted, and show its report."""
    till = get_object_or_404(Till.objects.select_related("point", "ledger_account"), cashier=request.user)
    shift = open_shift_of(till)
    if shift is None:
        return redirect("payouts:till")
    return _count(
        request, till, shift, lambda counted, reason: close_shift(
            shift=shift, counted=counted, closed_by=request.user, reason=reason
        )
    )  # fmt: skip


@cashier_only
def z_report(request: PersonRequest, number: int) -> HttpResponseBase:
    """Print the report of a closed shift of the cashier's own till."""
    report = get_object_or_404(ZReport, shift__till__cashier=request.user, shift__number=number)
    return HttpResponse(z_report_pdf(report), content_type="application/pdf")


def _count(
    request: PersonRequest, till: Till, shift: Shift | None, act: Callable[[int, str], Shift]
) -> HttpResponseBase:
    form = CountForm(request.POST or None)
    if form.is_valid():
        try:
            act(form.cleaned_data["counted"], form.cleaned_data["reason"])
        except DomainError as refusal:
            add_refusal(form, refusal)
            if refusal.field == "reason":
                form.look_at_reason()
        else:
            messages.success(request, _("The shift is open.") if shift is None else _("The shift is closed."))
            return redirect("payouts:till")
    context = {"form": form, **cash_of(till), "shift": shift}
    return render(request, "cashier/shift.html", context, status=400 if form.errors else 200)
