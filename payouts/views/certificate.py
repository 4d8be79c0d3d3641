"""A pool's money certificate for everyone: one line that adds up, each figure explained (I3, X4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import TransferKind
from payouts.queries import Figure, JackpotMove, jackpot_history, money_certificate
from pools.models import Pool, PoolState, Settlement, SettlementState
from pools.views.figures import figures_of
from pools.views.reading import pool_or_404
from pools.views.statement_in_words import levels_in_words
from totalizator.engine.canonical import parse_json

# What came in stands left of the equals sign, what went out right of it; the rest is a closer look at one of them.
CAME_IN = ("turnover", "jackpot_in", "added")
WENT_OUT = ("refunds", "takeout", "winnings", "jackpot_out")
EXPLAINED: Mapping[str, tuple[str | Promise, str | Promise]] = {
    "turnover": (_("Staked"), _("every bet that was paid and registered")),
    "jackpot_in": (_("From the jackpot"), _("jackpot money put into this pool, when it draws the jackpot (¶18, ¶39)")),
    "added": (_("Added by the organizer"), _("the organizer's own money for a guarantee or a minimum winning (¶6)")),
    "refunds": (
        _("Stakes returned"),
        _("late and cancelled bets, or all of them when the pool is returned (D-12, D-16)"),
    ),
    "takeout": (_("Takeout"), _("the organizer's part of the turnover (¶4, ¶23)")),
    "winnings": (_("Winnings"), _("what all winning bets get together, before tax")),
    "jackpot_out": (
        _("To the jackpot"),
        _("funds without winners, what a maximum cut off, remainders of rounding (¶17, ¶38)"),
    ),
    "fund": (_("Winning fund"), _("the turnover without returned stakes and takeout, shared among the levels")),
    "remainder": (
        _("of it remainders"),
        _("what rounding winnings down to the kopeck left, part of what went to the jackpot (D-6)"),
    ),
    "paid": (_("Winnings paid"), _("in cash and to accounts, income tax withheld included")),
    "unpaid": (_("Winnings to be paid"), _("owed to who has not come for them yet")),
    "expired": (_("Winnings expired"), _("not claimed in the term, moved to the jackpot (¶15)")),
    "refunds_paid": (_("Stakes paid back"), _("returned the way they came")),
    "revoked": (_("Winnings taken back"), _("of cancelled bets, moved to the jackpot (¶29)")),
    "cancelled_stakes": (_("Stakes of cancelled bets"), _("given back by the organizer (¶29)")),
    "corrected_winnings": (
        _("Winnings, corrected"),
        _("made good by the correcting protocol, out of the organizer's money; below zero: taken back unpaid"),
    ),
    "corrected_refunds": (_("Stakes returned, corrected"), _("the same, of returned stakes")),
    "corrected_takeout": (_("Takeout, corrected"), _("by which the right result changes it")),
    "corrected_jackpot": (
        _("Jackpot, corrected"),
        _("paid into it by the organizer; below zero: what it gave up of what it should not have got"),
    ),
    "refunds_lapsed": (_("Stakes nobody collected"), _("in the jackpot after the limitation term (D-12)")),
    "refunds_unpaid": (_("Stakes to be paid back"), _("owed until they are collected (D-12)")),
}


@dataclass(frozen=True, slots=True)
class ExplainedFigure:
    """A figure of the certificate with its name and meaning."""

    figure: Figure
    label: str | Promise
    meaning: str | Promise


def certificate(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show where every kopeck of a pool went; before settlement, that it is still all in the pot."""
    pool = pool_or_404(request, code)
    proved = money_certificate(pool)
    explained = {
        name: ExplainedFigure(figure, *EXPLAINED[name])
        for name, figure in (proved.figures.items() if proved else ())
        if name in EXPLAINED
    }
    context = {
        "levels": _levels(pool),
        "jackpot_moves": _jackpot_moves(pool),
        "pool": pool,
        "certificate": proved,
        "came_in": [explained[name] for name in CAME_IN if name in explained],
        "went_out": [explained[name] for name in WENT_OUT if name in explained],
        "closer": [figure for name, figure in explained.items() if name not in CAME_IN + WENT_OUT],
        "figures": figures_of(pool),
        "settled": pool.state in (PoolState.SETTLED, PoolState.ARCHIVED),
    }
    return render(request, "payouts/certificate.html", context)


def _levels(pool: Pool) -> list[dict[str, Any]]:
    """Return the levels of what emptied the pot: what reached each, what was paid, what rounding left (D-6)."""
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if settlement is None:
        return []
    return levels_in_words(parse_json(settlement.statement_text.encode(), where="statement.json"))


@dataclass(frozen=True, slots=True)
class LinkedMove:
    """What the pool did to the jackpot; `opened_by` closed with what this one opens with, None for the first (J1)."""

    move: JackpotMove
    parts: tuple[tuple[str | Promise, int], ...]
    opened_by: JackpotMove | None


def _jackpot_moves(pool: Pool) -> list[LinkedMove]:
    history: list[JackpotMove | None] = [None, *jackpot_history(pool.game)]
    return [
        LinkedMove(move, tuple((TransferKind(kind).label, amount) for kind, amount in move.parts.items()), previous)
        for previous, move in pairwise(history)
        if move is not None and move.pool == pool.code
    ]
