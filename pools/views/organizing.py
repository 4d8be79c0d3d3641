"""The organizer's desk: pools by state, announcing, closing early, cancelling, the journal of a pool."""

from functools import partial
from urllib.parse import urlencode

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.organizing import CancellationForm
from pools.models import MOVES, Game, Incident, IncidentState, Pool, PoolState
from pools.queries.corrections import unsealed_correction
from pools.queries.found_pools import pools_found
from pools.queries.pool_timeline import timeline_of
from pools.services.cancelling import approve_cancellation, propose_cancellation
from pools.services.closing import close_pool
from pools.services.drafting import announce_pool
from pools.views.figures import figures_of_all
from pools.views.public import show_pool
from pools.views.reading import pool_or_404
from totalizator.core.acting import done_by_form
from totalizator.core.errors import DomainError
from totalizator.core.models import JournalRecord
from totalizator.core.paging import page_of
from totalizator.core.problem import told

POOLS_A_PAGE = 25
BESIDE = ("prepared_by", "announced_by", "cancellation__approved_by", "commitment", "settlement", "correction")
"""What the page of a pool shows of it, each at most once."""


@organizer_only
def desk(request: PersonRequest) -> HttpResponseBase:
    """List the pools, of a state, of a game, or those whose code or name has some letters."""
    asked = {name: str(request.GET.get(name, "")).strip() for name in ("q", "state", "game")}
    page = page_of(request, pools_found(**asked), POOLS_A_PAGE)
    figures = figures_of_all(list(page))
    kept = urlencode({name: value for name, value in asked.items() if value})
    context = {
        "page": page,
        "shown": [(pool, figures.get(pool.pk)) for pool in page],
        "states": PoolState.choices,
        "games": Game.choices,
        "asked": asked,
        "keep": f"{kept}&" if kept else "",
        "person": request.user,
    }
    return render(request, "organizer/desk.html", context)


@organizer_only
def manage(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show a pool as players will see it, with what can be done with it."""
    return _managed(request, pool_or_404(request, code, *BESIDE))


@organizer_only
def announce(request: PersonRequest, code: str) -> HttpResponseBase:
    """Announce what another person prepared; a refusal is said on the preview (A6)."""
    pool = pool_or_404(request, code)
    if request.method == "POST":
        try:
            announce_pool(code=code, announced_by=request.user)
        except DomainError as refusal:
            return _managed(request, pool, refusal=refusal)
        messages.success(request, _("The pool is announced; its terms can no longer be changed."))
    return redirect("pools:manage", code=code)


@organizer_only
def close_early(request: PersonRequest, code: str) -> HttpResponseBase:
    """Close sales before their time, after asking once (G1)."""
    pool = pool_or_404(request, code)
    if request.method != "POST":
        return render(request, "organizer/close.html", {"pool": pool})
    try:
        close_pool(code=code, actor=request.user.actor, early_by=request.user)
    except DomainError as refusal:
        return _managed(request, pool, refusal=refusal)
    messages.success(request, _("The pool is closed; bets are no longer taken."))
    return redirect("pools:manage", code=code)


@organizer_only
def cancel(request: PersonRequest, code: str) -> HttpResponseBase:
    """Propose to cancel a pool; another person approves (¶32)."""
    pool = pool_or_404(request, code)
    form = CancellationForm(request.POST or None)
    if done_by_form(form, partial(propose_cancellation, code=code, proposed_by=request.user)):
        messages.success(request, _("The cancellation is proposed. Another person must approve it."))
        return redirect("pools:manage", code=code)
    return render(request, "organizer/cancel.html", {"pool": pool, "form": form}, status=400 if form.errors else 200)


@organizer_only
def approve(request: PersonRequest, code: str) -> HttpResponseBase:
    """Approve the cancellation that was read: the number of the proposal comes with the form."""
    pool = pool_or_404(request, code)
    number = request.POST.get("number", "")
    if request.method != "POST" or not number.isdecimal():
        return redirect("pools:manage", code=code)
    try:
        approve_cancellation(code=code, approved_by=request.user, number=int(number[:9]))
    except DomainError as refusal:
        return _managed(request, pool, refusal=refusal)
    messages.success(request, _("The pool is cancelled; every stake is returned."))
    return redirect("pools:manage", code=code)


@organizer_only
def journal(request: PersonRequest, code: str) -> HttpResponseBase:
    """Show who did what to a pool, and when."""
    pool = pool_or_404(request, code)
    subjects = [f"pool:{pool.code}", *(f"protocol:{protocol.number}" for protocol in pool.protocols.all())]
    records = JournalRecord.objects.filter(subject__in=subjects).order_by("-id")
    page = page_of(request, records, POOLS_A_PAGE)
    return render(request, "organizer/journal.html", {"pool": pool, "page": page})


def _managed(request: PersonRequest, pool: Pool, refusal: DomainError | None = None) -> HttpResponseBase:
    if refusal is not None:
        pool.refresh_from_db()
    proposal = pool.cancellation_proposals.select_related("proposed_by").order_by("-number").first()
    return show_pool(
        request,
        pool,
        status=refusal.http_status if refusal else 200,
        template="organizer/manage.html",
        refusal=told(refusal) if refusal else "",
        proposal=proposal,
        prepared_by_me=pool.prepared_by_id == request.user.pk,
        proposed_by_me=proposal is not None and proposal.proposed_by_id == request.user.pk,
        unsealed_correction=unsealed_correction(pool),
        timeline=timeline_of(pool),
        pauses=Incident.objects.filter(pool=pool, state=IncidentState.OPEN).order_by("pk"),
        can_cancel=PoolState.CANCELLED in MOVES[PoolState(pool.state)],
    )
