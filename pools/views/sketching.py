"""Making up a new pool in short steps; each is kept as it is typed, the last one shows what players will see (A1)."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.permissions import PersonRequest, organizer_only
from pools.forms.coupon import grid
from pools.forms.pool_templates import TEMPLATES
from pools.forms.sketching import (
    EVENTS,
    FORMS,
    PREVIEW,
    SENT,
    STEPS,
    Made,
    bound,
    made,
    step_at_fault,
    texts_of,
    typed_first,
    typed_from,
)
from pools.models import CommissionKey, Game, Pool, PoolSketch, PoolState
from pools.services.claim_words import claim_words
from pools.services.drafting import sketched_pool
from pools.services.sketches import begin_sketch, keep_step, prepare_sketch, step_mark, throw_away_sketch
from pools.views.figures import Figures
from pools.views.sketch_events import Worked, worked_on
from pools.views.terms_in_words import in_words
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.names import localized
from totalizator.core.paging import page_of
from totalizator.core.problem import told

SKETCHES_A_PAGE, POOLS_OFFERED = 10, 30
OWN = ("pool", "conditions", "opens_at", "closes_at", "rules_version", "quorum")
"""What of a terms document each pool has of its own."""


@organizer_only
def new_pool(request: PersonRequest) -> HttpResponseBase:
    """Choose what a new pool is begun from: a template, an earlier pool; or go on with one that is not finished."""
    if request.method == "POST":
        try:
            sketch = _begun(request)
        except DomainError as refusal:
            messages.error(request, told(refusal))
            return redirect("pools:new_pool")
        return redirect("pools:sketch", number=sketch.pk, step=FORMS[0])
    mine = PoolSketch.objects.filter(owner=request.user, prepared_at__isnull=True).order_by("-changed_at")
    page = page_of(request, mine, SKETCHES_A_PAGE)
    context = {
        "templates": TEMPLATES.values(),
        "page": page,
        "sketches": [(sketch, _name_of(sketch)) for sketch in page],
        "earlier": Pool.objects.order_by("-prepared_at")[:POOLS_OFFERED],
        "chosen": request.GET.get("from", ""),
    }
    return render(request, "organizer/sketch/begin.html", context)


@organizer_only
def change_draft(request: PersonRequest, code: str) -> HttpResponseBase:
    """Change a draft in the same steps; one that they cannot express is changed as a document."""
    pool = get_object_or_404(Pool, code=code)
    if request.method != "POST" or pool.state != PoolState.DRAFT:
        return redirect("pools:manage", code=code)
    open_one = PoolSketch.objects.filter(owner=request.user, pool=pool, prepared_at__isnull=True).first()
    if open_one is not None:
        return redirect("pools:sketch", number=open_one.pk, step=FORMS[0])
    document, typed = _document(pool), typed_from(pool.terms, keeps_code=True)
    if not _can_be_told_in_steps(pool, document, typed):
        messages.info(request, _("The steps cannot express these terms: change the document itself."))
        return redirect("pools:redraft", code=code)
    before = PoolSketch.objects.filter(pool=pool, prepared_at__isnull=False).order_by("-prepared_at").first()
    if before is not None:
        typed[EVENTS]["reserve"] = before.typed.get(EVENTS, {}).get("reserve", [])
    sketch = begin_sketch(origin=code, document=document, typed=typed, begun_by=request.user, changes=pool)
    return redirect("pools:sketch", number=sketch.pk, step=FORMS[0])


@organizer_only
def sketch(request: PersonRequest, number: int, step: str) -> HttpResponseBase:
    """Show a step with what was typed; keep what is sent, right or not, and go on when it is right."""
    mine = _mine(request, number)
    if mine.prepared_at is not None and mine.pool is not None:
        return redirect("pools:manage", code=mine.pool.code)
    if step == PREVIEW:
        return _preview(request, mine)
    if step not in FORMS:
        raise Http404
    if request.method == "POST":
        return _kept(request, mine, step)
    form = bound(mine, step)
    if form.is_bound and SENT not in mine.typed[step]:
        form.errors.clear()  # nobody has said yet that it is right
    return render(request, f"organizer/sketch/{step}.html", _frame(mine, step, form=form))


def _kept(request: PersonRequest, mine: PoolSketch, step: str) -> HttpResponse:
    """Keep what was sent; stay on the step while something is wrong with it or was asked for beside."""
    typed = texts_of(bound(mine, step), request.POST)
    worked = worked_on(request, typed) if step == EVENTS else Worked(typed)
    if worked.stays and SENT not in mine.typed.get(step, {}):
        worked.typed = {name: texts for name, texts in worked.typed.items() if name != SENT}
    form, status, seen = bound(mine, step, worked.typed), 200, request.POST.get("seen", "")
    if SENT not in worked.typed:
        form.errors.clear()  # what is not asked for yet is no fault
    try:
        mine = keep_step(number=mine.pk, step=step, typed=worked.typed, seen=seen, kept_by=request.user)
    except DomainError as refusal:
        form.add_error(None, told(refusal))
        mine.refresh_from_db()
        status = refusal.http_status
    else:
        if worked.refused or worked.faults or not (worked.stays or form.is_valid()):
            status = 400
        elif worked.stays:
            messages.success(request, worked.said)
            return redirect("pools:sketch", number=mine.pk, step=step)
        else:
            return redirect("pools:sketch", number=mine.pk, step=_after(step))
    context = _frame(mine, step, form=form, faults=worked.faults, refused=worked.refused)
    return render(request, f"organizer/sketch/{step}.html", context, status=status)


@organizer_only
def prepare(request: PersonRequest, number: int) -> HttpResponseBase:
    """Make a draft of what was previewed; another person announces it then (A6)."""
    mine = _mine(request, number)
    if request.method != "POST":
        return redirect("pools:sketch", number=number, step=PREVIEW)
    found = made(mine) if mine.prepared_at is None else Made({}, [])
    if found.document is None:
        return redirect("pools:sketch", number=number, step=PREVIEW)
    try:
        pool = prepare_sketch(number=number, document=found.document, prepared_by=request.user)
    except DomainError as refusal:
        return _preview(request, mine, refusal=refusal)
    messages.success(request, _("The pool is prepared. Another person announces it now."))
    return redirect("pools:manage", code=pool.code)


@organizer_only
def throw_away(request: PersonRequest, number: int) -> HttpResponseBase:
    """Forget what was not finished."""
    if request.method == "POST":
        throw_away_sketch(number=number, thrown_by=request.user)
        messages.success(request, _("What was typed is thrown away."))
    return redirect("pools:new_pool")


def _begun(request: PersonRequest) -> PoolSketch:
    """Begin with the template or the pool that the form names."""
    name, code = request.POST.get("template", ""), request.POST.get("pool", "")
    if name in TEMPLATES:
        keys = CommissionKey.objects.filter(revoked_at__isnull=True, member__is_active=True).order_by("created_at")
        document = TEMPLATES[name].document()
        typed = typed_first(document, list(keys.values_list("key_id", flat=True)))
        return begin_sketch(origin=name, document=document, typed=typed, begun_by=request.user)
    pool = get_object_or_404(Pool, code=code)
    typed = typed_from(pool.terms, keeps_code=False)
    return begin_sketch(origin=code, document=_document(pool), typed=typed, begun_by=request.user)


def _document(pool: Pool) -> dict[str, Any]:
    """Return the terms of a pool without what every pool has of its own."""
    document: Mapping[str, Any] = json.loads(pool.terms_text)
    return {name: value for name, value in document.items() if name not in OWN}


def _can_be_told_in_steps(pool: Pool, document: dict[str, Any], typed: dict[str, Any]) -> bool:
    """Tell whether the steps, left as they are, make exactly the terms that the draft has."""
    trial = PoolSketch(document=document, typed=typed, pool=pool)
    found = made(trial)
    if found.document is None:
        return False
    try:
        return sketched_pool(found.document).terms == pool.terms
    except DomainError:
        return False


def _preview(request: PersonRequest, mine: PoolSketch, refusal: DomainError | None = None) -> HttpResponse:
    """Show the pool as players will see it, or what is still missing."""
    found, pool = made(mine), None
    if found.document is not None and refusal is None:
        try:
            pool = sketched_pool(found.document)
        except DomainError as fault:
            refusal = fault
    context = _frame(mine, PREVIEW, missing=[(step, STEPS[step]) for step in found.missing])
    if refusal is not None:
        at_fault = step_at_fault(refusal.field or "")
        context |= {"refusal": told(refusal), "at_fault": at_fault, "at_fault_label": STEPS[at_fault]}
    if pool is not None:
        context |= _as_players_see_it(pool)
    return render(request, "organizer/sketch/preview.html", context, status=refusal.http_status if refusal else 200)


def _as_players_see_it(pool: Pool) -> dict[str, object]:
    return {
        "pool": pool,
        "previewed": True,
        "game": Game(pool.game).label,
        "words": in_words(pool.terms),
        "rows": grid(pool.terms),
        "figures": Figures(0, 0, 0, 0),
        "term_words": claim_words(pool),
    }


def _frame(mine: PoolSketch, step: str, **more: object) -> dict[str, object]:
    """Return what every step shows: where one is, which steps are right, and the mark of what was read."""
    names = list(STEPS)
    right = {name for name in FORMS if (form := bound(mine, name)).is_bound and form.is_valid()}
    return {
        "sketch": mine,
        "step": step,
        "title": _name_of(mine),
        "steps": [(name, STEPS[name], name in right) for name in names],
        "seen": step_mark(mine, step),
        "template": TEMPLATES.get(mine.origin),
        "game": Game(mine.document["game"]).label,
        "now": clock.now(),
    } | more


def _name_of(mine: PoolSketch) -> str:
    typed = {field: next(iter(values), "").strip() for field, values in mine.typed.get(EVENTS, {}).items()}
    name = localized({language: typed.get(f"name_{language}", "") for language in ("ru", "be", "en")})
    return " · ".join(part for part in (typed.get("code", ""), name) if part)


def _after(step: str) -> str:
    names = list(STEPS)
    return names[names.index(step) + 1]


def _mine(request: HttpRequest, number: int) -> PoolSketch:
    return get_object_or_404(PoolSketch.objects.select_related("pool"), pk=number, owner_id=request.user.pk)
