"""The what-if calculator of a pool: before betting and after, by the engine that settles (X8, D-9)."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.models import LedgerAccount
from pools.forms.what_if import WhatIfForm
from pools.models import Computed, Pool, Settlement, jackpot_owner
from pools.services.what_if import MOST_COUNTED, Supposed, recount, suppose
from pools.snapshots.pool_archives import is_archived
from pools.views.figures import figures_of
from pools.views.proofs import official
from pools.views.reading import pool_or_404
from pools.views.statement_in_words import levels_in_words
from pools.views.terms_in_words import in_words
from totalizator.engine.canonical import json_file, parse_json
from totalizator.engine.statement import statement_document
from totalizator.engine.tally import parse_tally, tally_document

PROPOSED_TURNOVER = 1_000_000  # kopecks, before anybody has bet
PROPOSED_STAKE = 1_000


def what_if(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show what the levels would be and pay; a plain GET, which changes nothing."""
    pool = pool_or_404(request, code)
    settlement, figures = official(pool), figures_of(pool)
    counts = settlement is not None and not is_archived(pool) and figures.bets <= MOST_COUNTED
    turnover, winners = _proposed(pool, settlement, figures.turnover)
    form = WhatIfForm(pool.terms, request.GET or None, turnover=turnover, winners=None if counts else winners)
    fine = not form.is_bound or form.is_valid()
    supposed = None
    if fine:
        asked = {"void": form.cleaned_data["void"], "event_void": form.cleaned_data["event"]} if form.is_bound else {}
        supposed = _answer(pool, settlement if counts else None, form, asked or {"void": [], "event_void": False})
    context = {
        "pool": pool,
        "form": form,
        "words": in_words(pool.terms),
        "by_lines": pool.terms.by_lines,
        "settled": settlement is not None,
        "counts": counts,
        "supposed": supposed,
        "levels": _levels(supposed, settlement) if supposed else (),
        "tally": json_file(tally_document(supposed.tally)).decode() if supposed else "",
    }
    return render(request, "pools/what_if.html", context, status=200 if fine else 400)


def _answer(pool: Pool, counted: Computed | None, form: WhatIfForm, asked: dict[str, Any]) -> Supposed:
    if counted is not None:
        return recount(pool, counted, **asked)
    jackpot_in = _jackpot(pool)
    return suppose(pool.terms, turnover=form.turnover(), winners=form.winners(), jackpot_in=jackpot_in, **asked)


def _proposed(pool: Pool, settlement: Computed | None, staked: int) -> tuple[int, dict[str, int]]:
    """Propose the official numbers, else what is staked so far and one winner on each level."""
    terms = pool.terms
    if settlement is not None:
        tally = parse_tally(terms, settlement.tally_text.encode())
        levels = tally.levels.items()
        return tally.turnover - tally.refunds, {
            code: level.lines if terms.by_lines else level.stakes for code, level in levels
        }
    one = 1 if terms.by_lines else terms.price.least or PROPOSED_STAKE
    return staked or PROPOSED_TURNOVER, dict.fromkeys([level.code for level in terms.levels], one)


def _jackpot(pool: Pool) -> int:
    """Return what the pool drew, or would draw now; it opens no account, as this is a reading."""
    settlement = Settlement.objects.filter(pool=pool).first()
    if settlement is not None or not pool.draws_jackpot:
        return settlement.jackpot_in if settlement is not None else 0
    account = LedgerAccount.objects.filter(kind=AccountKind.JACKPOT, owner=jackpot_owner(pool.game)).first()
    return balance(account) if account is not None else 0


def _levels(supposed: Supposed, settlement: Computed | None) -> list[dict[str, Any]]:
    """Return the levels as they would be, each beside what it officially paid."""
    told = levels_in_words(statement_document(supposed.statement))
    paid = {}
    if settlement is not None:
        statement = parse_json(settlement.statement_text.encode(), where="statement.json")
        paid = {level["code"]: level for level in statement["levels"]}
    return [
        level | {"matches": _matches(of.matches), "share": of.level.share, "official": paid.get(of.level.code)}
        for level, of in zip(told, supposed.levels, strict=True)
    ]


def _matches(matches: range | None) -> str:
    if matches is None:
        return ""
    return str(matches.start) if len(matches) == 1 else f"{matches.start}–{matches.stop - 1}"
