"""The organizer's page of winnings that are to be given back: what is owed, and booking what came (¶29, D-3)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import GivenBackForm
from payouts.models import ReceivablePayment
from payouts.queries.owed_by_pool import owed_on, receivables
from payouts.services.receivables import book_receivable_payment
from totalizator.core import clock
from totalizator.core.acting import done_by_form
from totalizator.core.money import format_byn
from totalizator.core.paging import page_of

TICKETS_A_PAGE, PAYMENTS_SHOWN = 50, 20


@organizer_only
def owed(request: PersonRequest) -> HttpResponseBase:
    """Show what is to be given back on each ticket, and what was; book what came, once for a document."""
    form = GivenBackForm(request.POST or None, initial={"ticket": request.GET.get("ticket", "")[:40]})
    if done_by_form(form, partial(_book, request)):
        return redirect("payouts:receivables")
    page = page_of(request, receivables(), TICKETS_A_PAGE)
    still = owed_on(page)
    payments = ReceivablePayment.objects.select_related("pool", "booked_by").order_by("-pk")[:PAYMENTS_SHOWN]
    context = {
        "form": form,
        "page": page,
        "shown": [(account.owner, still[account.pk]) for account in page],
        "payments": payments,
        "opens": bool(form.errors or request.GET.get("ticket")),
    }
    return render(request, "organizer/money/receivables.html", context, status=400 if form.errors else 200)


def _book(request: PersonRequest, *, ticket: str, amount: int, document: str) -> None:
    begun = clock.now()
    payment = book_receivable_payment(ticket=ticket, amount=amount, document=document, booked_by=request.user)
    if payment.booked_at < begun:
        messages.warning(request, _("This document was booked before: nothing has changed."))
    else:
        messages.success(request, _("Booked: %(amount)s.") % {"amount": format_byn(payment.amount)})
