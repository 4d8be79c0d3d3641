"""The organizer's pages of payments that are not the same here and at a payment system (F1)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.forms.payments import PaymentDecisionForm
from accounts.models import HeldDeposit, UnmatchedItem
from accounts.permissions import PersonRequest, organizer_only
from accounts.services.provider_deposits import credit_found, hold_found
from accounts.services.unmatched import close_unmatched
from totalizator.core.acting import done_by_form
from totalizator.core.paging import page_of
from totalizator.core.problem import TITLES

ITEMS_A_PAGE = 50


@organizer_only
def payments(request: PersonRequest) -> HttpResponseBase:
    """List what does not agree, the oldest first, or what was closed, the latest first."""
    closed = request.GET.get("closed") == "yes"
    items = UnmatchedItem.objects.select_related("closed_by").filter(closed_at__isnull=not closed)
    ordered = items.order_by("-closed_at", "-pk") if closed else items.order_by("found_at", "pk")
    context = {
        "page": page_of(request, ordered, ITEMS_A_PAGE),
        "tabs": [(_("still open"), "?", not closed), (_("dealt with"), "?closed=yes", closed)],
        "keep": "closed=yes&" if closed else "",
    }
    return render(request, "organizer/money/payments.html", context)


@organizer_only
def payment(request: PersonRequest, number: int) -> HttpResponseBase:
    """Show what does not agree of one payment; credit it, hold it, or close it, as the payment system says now."""
    item = get_object_or_404(UnmatchedItem.objects.select_related("closed_by"), pk=number)
    form = None if item.closed_at is not None else PaymentDecisionForm(request.POST or None)
    if form is not None and done_by_form(form, partial(_decide, request, item)):
        return redirect("accounts:payment", number=number)
    context = {"item": item, "form": form, "held": _held_of(item), "explanation": _explanation(item)}
    status = 400 if form is not None and form.errors else 200
    return render(request, "organizer/money/payment.html", context, status=status)


def _decide(request: PersonRequest, item: UnmatchedItem, *, act: str, decision: str) -> None:
    match act:
        case "credit":
            credit_found(item=item, decision=decision, decided_by=request.user)
            messages.success(request, _("The deposit is on the account."))
        case "hold":
            hold_found(item=item, held_by=request.user)
            messages.success(request, _("The money is held: credit it later, or give it back."))
        case _:
            close_unmatched(item=item, decision=decision, closed_by=request.user)
            messages.success(request, _("It is closed."))


def _explanation(item: UnmatchedItem) -> str:
    """Return why it was found, a refusal in words."""
    return str(TITLES.get(item.explanation, item.explanation))


def _held_of(item: UnmatchedItem) -> HeldDeposit | None:
    digits = item.reference.removeprefix("D-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        return None
    return HeldDeposit.objects.filter(deposit__provider=item.provider, pk=int(digits)).first()
