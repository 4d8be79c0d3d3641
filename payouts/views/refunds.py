"""The organizer's pages of returned stakes: what is due by pool, each pool's register, what lapses (L1, L2, D-12)."""

from functools import partial

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.permissions import PersonRequest, organizer_only
from payouts.forms.money import LapseForm
from payouts.models import PaymentMethod, RefundLapseProposal
from payouts.queries.owed_by_pool import refunds_by_pool
from payouts.queries.refund_terms import decidable_refunds, refund_deadlines
from payouts.queries.refunds import RefundRow, RefundState
from payouts.services.refund_lapses import approve_refund_lapse, propose_refund_lapse
from payouts.services.refund_registers import make_refund_register
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.acting import do_by_button, done_by_form
from totalizator.core.paging import page_of

POOLS_A_PAGE, ROWS_A_PAGE = 50, 50
_FIGURES = {
    "stakes": gettext_lazy("stakes that go back"),
    "paid": gettext_lazy("paid"),
    "lapsed": gettext_lazy("gone to the jackpot"),
    "unpaid": gettext_lazy("still to be paid"),
}


@organizer_only
def refunds(request: PersonRequest) -> HttpResponseBase:
    """List the pools with stakes to return, what is overdue first; lead to the register of any pool."""
    code = request.GET.get("code", "").replace("\0", "").strip()
    if code and Pool.objects.filter(code=code).exists():
        return redirect("payouts:refund_register", code=code)
    now, page = clock.now(), page_of(request, refunds_by_pool(), POOLS_A_PAGE)
    deadlines = refund_deadlines({row["since"] for row in page})
    shown = [(row, deadlines[row["since"]]) for row in page]
    context = {
        "page": page,
        "shown": [(row, deadline, deadline <= now) for row, deadline in shown],
        "code": code[:40],
        "now": now,
    }
    return render(request, "organizer/money/refunds.html", context, status=404 if code else 200)


@organizer_only
def register(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show every stake of a pool that goes back; propose that those nobody collected go to the jackpot."""
    pool = get_object_or_404(Pool, code=code)
    form = LapseForm(request.POST or None)
    if done_by_form(form, partial(propose_refund_lapse, code=code, proposed_by=request.user)):
        messages.info(request, _("Another person has to approve it now."))
        return redirect("payouts:refund_register", code=code)
    made, state = make_refund_register(code), request.GET.get("state", "")
    rows = [row for row in made.rows if row.state == state] if state in RefundState.values else made.rows
    page = page_of(request, rows, ROWS_A_PAGE)
    proposals = RefundLapseProposal.objects.filter(pool=pool).select_related("proposed_by", "decision__approved_by")
    standing = [each for each in RefundState if made.total.by_state[each]]
    context = {
        "code": code,
        "register": made,
        "page": page,
        "shown": [(row, _method(row)) for row in page],
        "sums": [(each.label, each.value, made.total.by_state[each]) for each in standing],
        "ways": [
            (way.label, totals, [(each.label, totals.by_state[each]) for each in standing])
            for way, totals in made.by_way.items()
        ],
        "states": [each.label for each in standing],
        "figures": [(_FIGURES[name], figure) for name, figure in made.figures.items()],
        "tabs": [(_("all"), "?", state not in standing)]
        + [(each.label, f"?state={each.value}", each == state) for each in standing],
        "keep": f"state={state}&" if state in RefundState.values else "",
        "may_lapse": decidable_refunds(pool, made.at).exists(),
        "proposal": proposals.order_by("-pk").first(),
        "form": form,
        "person": request.user,
    }
    return render(request, "organizer/money/refund_register.html", context, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, number: int) -> HttpResponseBase:
    """Move what nobody collected to the jackpot, as another person proposed."""
    proposal = get_object_or_404(RefundLapseProposal.objects.select_related("pool"), pk=number)
    do_by_button(
        request,
        partial(approve_refund_lapse, proposal=proposal, approved_by=request.user),
        said=_("What nobody collected is in the jackpot."),
    )
    return redirect("payouts:refund_register", code=proposal.pool.code)


def _method(row: RefundRow) -> str:
    return str(PaymentMethod(row.method).label) if row.method else ""
