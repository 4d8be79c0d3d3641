"""What anyone may see of a pool: its terms in plain words, its live figures, its result, its public files."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from accounts.models import Consent
from pools.forms.coupon import GridRow, grid
from pools.models import Commitment, Computed, Correction, Game, Pool, PoolState, Protocol, ProtocolSignature, RulesText
from pools.queries.corrections import being_corrected, computed_by, in_force
from pools.queries.log_stamps import stamps_of_commitment
from pools.services.commission_keys import published_keys
from pools.snapshots.dissents import statements_beside
from pools.snapshots.result import protocol_of, sealed_protocol
from pools.views.bundles import bundle_response
from pools.views.coupon_part import coupon_part
from pools.views.figures import figures_of
from pools.views.marks import JudgedRow, judged_rows
from pools.views.pool_charts import charts_of
from pools.views.reading import pool_or_404
from pools.views.statement_in_words import levels_in_words
from pools.views.terms_in_words import in_words
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.problem import TITLES

MOST_VERSION = 32_767
_DECIDED = (PoolState.RESULTED, PoolState.SETTLED, PoolState.ARCHIVED)


def pool_page(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show a pool: the terms, the figures, and the coupon grid, marked as the address says, to who can bet on it."""
    pool, marked = pool_or_404(request, code), str(request.GET.get("coupon", ""))
    rows = grid(pool.terms, marked)
    said = _("The coupon is marked. Nothing has been paid for it.") if marked and takes_bets(pool) else ""
    return show_pool(request, pool, rows=rows, sent=request.GET, said=said)


def pool_figures(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show the live figures alone, for a pool page that is open: every minute at least, often near the end."""
    pool = pool_or_404(request, code)
    return render(request, "pools/figures.html", _live(pool, clock.now()))


def _live(pool: Pool, now: datetime) -> dict[str, object]:
    """Return the figures, and after how many seconds the page asks for them again; 0 when they are final."""
    refresh = 30 if pool.closes_at - now > timedelta(minutes=1) else 5
    final = pool.closed_at is not None or pool.state == PoolState.DRAFT
    sells = _shown_state(pool, now) == PoolState.OPEN
    return {"pool": pool, "figures": figures_of(pool), "sells": sells, "refresh": 0 if final else refresh}


def takes_bets(pool: Pool) -> bool:
    """Tell whether the pool takes bets now, by the clock."""
    return _shown_state(pool, clock.now()) == PoolState.OPEN


def show_pool(
    request: HttpRequest,
    pool: Pool,
    *,
    rows: Sequence[GridRow] | None = None,
    status: int = 200,
    template: str = "pools/pool.html",
    sent: QueryDict | None = None,
    **more: object,
) -> HttpResponse:
    """Render the pool page with the grid marked so; `more` carries a refusal back to who sent a coupon."""
    now = clock.now()
    correction = _official_correction(pool)
    context = _live(pool, now) | {
        "words": in_words(pool.terms),
        "game": Game(pool.game).label,
        "state": PoolState(pool.state),
        "shown_state": _shown_state(pool, now),
        "charts": partial(charts_of, pool, now),  # drawn where the page has them not in its cache
        **coupon_part(request, pool, rows or grid(pool.terms), sent),
        "being_corrected": being_corrected(pool),
        "correction": correction,
        "commitment": getattr(pool, "commitment", None),
        "now": now,
        "stamps": stamps_of_commitment(pool.code) if pool.closed_at is not None else [],
        "has_result": pool.state in (*_DECIDED, PoolState.CANCELLED),
    }
    context["judged"] = _judged(pool, correction) if pool.state in _DECIDED else ()
    return render(request, template, context | more, status=status)


def _official_correction(pool: Pool) -> Correction | None:
    correction: Correction | None = getattr(pool, "correction", None)
    return correction if correction is not None and correction.official_at is not None else None


def _judged(pool: Pool, correction: Correction | None) -> Sequence[JudgedRow]:
    """Return the conditions with what was right of each, by the protocol in force; none before one is sealed."""
    protocol = protocol_of(correction) if correction is not None else sealed_protocol(pool)
    return judged_rows(pool.terms, None, json.loads(protocol.document_text)["conditions"]) if protocol else ()


def result_page(request: HttpRequest, code: str, version: int | None = None) -> HttpResponseBase:
    """Show the right row, the protocol with its signers, the levels with winners and dividends.

    Of a corrected pool the corrected ones, and under the number of its protocol those of the first settlement (H5).
    """
    pool = pool_or_404(request, code)
    settlement = _settled(pool, version)
    protocol = protocol_of(settlement) if settlement is not None else sealed_protocol(pool)
    cancelled = pool.state == PoolState.CANCELLED
    if protocol is None and not cancelled:
        raise Http404
    document = json.loads(protocol.document_text) if protocol else None
    statement = json.loads(settlement.statement_text) if settlement else None
    context = {
        "pool": pool,
        "game": Game(pool.game).label,
        "state": PoolState(pool.state),
        "protocol": protocol,
        "signatures": _signatures(protocol) if protocol is not None else [],
        "dissents": statements_beside(protocol) if protocol else (),
        "document": document,
        "right_row": right_row(pool, document) if document else (),
        "statement": statement,
        "levels": levels_in_words(statement) if statement else (),
        "settlement": settlement,
        "cancellation": getattr(pool, "cancellation", None) if cancelled else None,
        "by_lines": pool.terms.by_lines,
        **_versions(pool, settlement, in_force(pool) if version is not None else settlement),
    }
    return render(request, "pools/result.html", context)


def right_row(pool: Pool, document: dict[str, object]) -> tuple[tuple[object, tuple[object, ...]], ...]:
    """Pair each condition with its right outcomes; none for one that did not take place."""
    conditions = document.get("conditions")
    outcomes = conditions if isinstance(conditions, dict) else {}
    rows = []
    for condition in pool.terms.conditions:
        right = outcomes.get(condition.code, "void")
        codes = () if right == "void" else right
        rows.append((condition, tuple(outcome for outcome in condition.outcomes if outcome.code in codes)))
    return tuple(rows)


def bundle(request: HttpRequest, code: str, version: int | None = None) -> HttpResponseBase:
    """Send the public files of a settled pool as one archive, of a corrected one those in force unless told."""
    pool = pool_or_404(request, code)
    settlement = _settled(pool, version)
    if settlement is None:
        raise Http404
    return bundle_response(pool, settlement)


def terms_file(request: HttpRequest, code: str) -> HttpResponseBase:
    """Send the announced terms, byte for byte as digested."""
    pool = pool_or_404(request, code)
    return HttpResponse(pool.terms_text, content_type="application/json; charset=utf-8")


def commitment_file(request: HttpRequest, code: str) -> HttpResponseBase:
    """Send the signed commitment of a closed pool."""
    commitment = get_object_or_404(Commitment, pool=pool_or_404(request, code))
    return HttpResponse(commitment.document_text, content_type="application/json; charset=utf-8")


def keys_file(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001
    """Send the public keys that signatures are checked with."""
    return JsonResponse(published_keys())


def rules_page(request: HttpRequest, version: str = "") -> HttpResponseBase:
    """Show a version of the rules text, the one in force when none is named."""
    published = RulesText.objects.order_by("-valid_from")
    now = clock.now()
    shown = published.filter(version=version).first() if version else published.filter(valid_from__lte=now).first()
    if version and shown is None:
        raise Http404
    accepted = (
        shown is not None
        and request.user.is_authenticated
        and Consent.objects.filter(person__player=request.user, rules_version=shown.version).exists()
    )
    context = {"rules": shown, "versions": published, "now": now, "accepted": accepted}
    return render(request, "pools/rules.html", context)


def errors_page(request: HttpRequest) -> HttpResponseBase:
    """List the codes of refusals: what `type` of a problem document points to."""
    return render(request, "errors.html", {"titles": [(code, TITLES[code]) for code in Refusal]})


def _shown_state(pool: Pool, now: datetime) -> PoolState:
    """Return the state by the clock, which decides about bets even before a job has moved the row (D-11)."""
    state = PoolState(pool.state)
    if state not in (PoolState.ANNOUNCED, PoolState.OPEN) or now < pool.opens_at:
        return state
    return PoolState.OPEN if now < pool.closes_at else PoolState.CLOSED


def _signatures(protocol: Protocol) -> list[ProtocolSignature]:
    given = ProtocolSignature.objects.filter(pool_id=protocol.pool_id, version=protocol.version)
    return list(given.select_related("key__member").order_by("signed_at"))


def _settled(pool: Pool, version: int | None) -> Computed | None:
    """Return how the pool is officially settled, by one version or by now; :raises Http404: for another version."""
    if version is None:
        return in_force(pool)
    computed = computed_by(pool, min(version, MOST_VERSION))
    if computed is None:
        raise Http404
    return computed


def _versions(pool: Pool, shown: Computed | None, latest: Computed | None) -> dict[str, object]:
    """Return what a page says of a correction: which versions there are, and whether one is under way."""
    correction = latest if isinstance(latest, Correction) else None
    return {
        "correction": correction,
        "first_version": pool.settlement.version if correction is not None else None,
        "shows_correction": correction is not None and shown == correction,
        "being_corrected": being_corrected(pool),
    }
