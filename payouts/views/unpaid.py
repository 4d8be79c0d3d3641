"""The organizer's pages of winnings nobody has come for: by pool and term, what expires soon, longer terms (K2, K3)."""

from datetime import datetime, timedelta
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import ExtensionForm
from payouts.models import TermExtension
from payouts.queries.claim_terms import claim_end_of
from payouts.queries.owed_by_pool import unpaid_by_pool
from payouts.queries.unpaid_winnings import masked, unpaid_winnings
from payouts.services.extending import approve_extension, propose_extension
from payouts.services.unpaid_lists import copy_unpaid_list, note_look
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.paging import page_of
from totalizator.core.problem import told

POOLS_A_PAGE, WINNINGS_A_PAGE = 50, 50
SOON = timedelta(days=14)


@organizer_only
def unpaid(request: PersonRequest) -> HttpResponseBase:
    """List the pools with winnings that nobody has come for, what expires first at the top."""
    now = clock.now()
    soon = request.GET.get("soon") == "yes"
    rows = unpaid_by_pool(before=now + SOON if soon else None)
    found = page_of(request, rows, POOLS_A_PAGE)
    context = {
        "page": found,
        "shown": [(row, _is_soon(row["until"], now)) for row in found],
        "tabs": [(_("all"), "?", not soon), (_("expire within 14 days"), "?soon=yes", soon)],
        "keep": "soon=yes&" if soon else "",
        "now": now,
    }
    return render(request, "organizer/money/unpaid.html", context)


@organizer_only
def winnings(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show a pool's unpaid winnings without what anybody could be paid by; each look is journalled."""
    pool = get_object_or_404(Pool, code=code)
    note_look(code=code, looked_by=request.user)
    page = page_of(request, unpaid_winnings(pool).order_by("place"), WINNINGS_A_PAGE)
    context = {
        "code": code,
        "page": page,
        "shown": [(masked(winning.ticket), winning) for winning in page],
        "end": claim_end_of(pool),
    }
    return render(request, "organizer/money/unpaid_winnings.html", context)


@organizer_only
def copy(request: PersonRequest, code: str) -> HttpResponseBase:
    """Give a copy of the list away as a table, a dated number of times a day."""
    get_object_or_404(Pool, code=code)
    if request.method != "POST":
        return redirect("payouts:unpaid_winnings", code=code)
    try:
        made, content = copy_unpaid_list(code=code, made_by=request.user)
    except DomainError as refusal:
        messages.error(request, told(refusal))
        return redirect("payouts:unpaid_winnings", code=code)
    answer = HttpResponse(content, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="unpaid-{code}-{made.day}-{made.number}.csv"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@organizer_only
def term(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show until when a pool's winnings are paid; propose a longer term."""
    pool = get_object_or_404(Pool, code=code)
    form = ExtensionForm(request.POST or None)
    if done_by_form(form, partial(propose_extension, code=code, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:term", code=code)
    extensions = TermExtension.objects.filter(pool=pool).select_related("proposed_by", "decision__approved_by")
    context = {
        "code": code,
        "end": claim_end_of(pool),
        "extensions": extensions.order_by("-pk"),
        "latest": extensions.order_by("-pk").first(),
        "form": form,
        "person": request.user,
        "now": clock.now(),
    }
    return render(request, "organizer/money/term.html", context, status=400 if form.errors else 200)


@organizer_only
def approve_term(request: PersonRequest, number: int) -> HttpResponseBase:
    """Make a term longer, as another person proposed."""
    extension = get_object_or_404(TermExtension.objects.select_related("pool"), pk=number)
    do_by_button(
        request,
        partial(approve_extension, extension=extension, approved_by=request.user),
        said=_("The term is made longer."),
    )
    return redirect("payouts:term", code=extension.pool.code)


def _is_soon(until: datetime | None, now: datetime) -> bool:
    return until is not None and until < now + SOON
