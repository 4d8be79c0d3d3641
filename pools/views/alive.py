"""How a pool stands while it is played: what is known, which lines can still win; provisional, for all (O2)."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from pools.models import AliveCount, Pool, PoolState
from pools.queries.provisional import KnownSoFar, known_so_far
from pools.services.provisional import OWN_FEED
from pools.views.marks import judged_rows
from pools.views.reading import pool_or_404
from totalizator.engine.alive import Outlook
from totalizator.engine.refund import everything_returned

REFRESH_SECONDS = 30


@dataclass(frozen=True, slots=True)
class AliveLevel:
    """A level: the numbers of matches that are on it, and its lines, stakes (kopecks) and rate, now and alive.

    A rate is a dividend in kopecks, or with stakes a coefficient as text; None without winners.
    """

    code: str
    matches: str
    lines_now: int
    stakes_now: int
    rate_now: int | str | None
    lines_alive: int
    stakes_alive: int
    rate_alive: int | str | None


def alive(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show how a pool stands while its matches are played."""
    return render(request, "pools/alive.html", _shown(pool_or_404(request, code)))


def alive_now(request: HttpRequest, code: str) -> HttpResponseBase:
    """Show the part of it that changes, for a page that is open; a pool that has its result is asked no more."""
    return render(request, "pools/alive_now.html", _shown(pool_or_404(request, code)))


def outlook_of(pool: Pool, known: KnownSoFar) -> Outlook | None:
    """Return what coupons can be asked by; None when by what is known everything goes back."""
    part = known.part_of(pool.terms)
    return None if everything_returned(pool.terms, part) else Outlook(pool.terms, part)


def feed_named(name: str) -> str:
    """Return what a feed is called before everybody: its name, and of the organizer's own what that is."""
    return _("the organizer's desk") if name == OWN_FEED else name


def levels_alive(pool: Pool, counted: AliveCount | None, outlook: Outlook | None) -> tuple[AliveLevel, ...]:
    """Return the levels as they were counted last, highest first; none before that, or when everything goes back."""
    if counted is None or outlook is None:
        return ()
    document = json.loads(counted.document_text)
    pairs = zip(document["so_far"]["levels"], document["alive"]["levels"], strict=True)
    return tuple(_level(pool, now, can, outlook) for now, can in pairs)


def newest_count(pool: Pool) -> AliveCount | None:
    """Return the newest count of a pool's bets by what is known."""
    counts = AliveCount.objects.filter(provisional__pool=pool).select_related("provisional")
    return counts.order_by("-pk").first()


def _shown(pool: Pool) -> dict[str, Any]:
    known, counted = known_so_far(pool), newest_count(pool)
    played = pool.state == PoolState.CLOSED
    outlook = outlook_of(pool, known)
    statement = json.loads(counted.document_text)["alive"] if counted is not None else None
    return {
        "pool": pool,
        "played": played,
        "has_result": pool.state in (PoolState.RESULTED, PoolState.SETTLED, PoolState.ARCHIVED, PoolState.CANCELLED),
        "refresh": REFRESH_SECONDS if played else 0,
        "known": known,
        "source": feed_named(known.latest.proposal.feed.name) if known.latest is not None else "",
        "rows": judged_rows(pool.terms, None, known.told),
        "told": len(known.told),
        "of": len(pool.terms.conditions),
        "returned": known.latest is not None and (outlook is None or _goes_back(statement)),
        "counted": counted,
        "is_counting": known.latest is not None and (counted is None or counted.pk != known.latest.pk),
        "levels": levels_alive(pool, counted, outlook),
        "statement": statement,
        "by_lines": pool.terms.by_lines,
    }


def _goes_back(statement: dict[str, Any] | None) -> bool:
    """Tell whether every stake is returned, as below the announced turnover."""
    return statement is not None and statement["turnover"] > 0 and statement["refunds"] == statement["turnover"]


def _level(pool: Pool, now: dict[str, Any], can: dict[str, Any], outlook: Outlook) -> AliveLevel:
    code: str = can["code"]
    return AliveLevel(
        code=code,
        matches=_spoken(outlook.matches_on[code]),
        lines_now=now["lines"],
        stakes_now=now["stakes"],
        rate_now=_rate(pool, now),
        lines_alive=can["lines"],
        stakes_alive=can["stakes"],
        rate_alive=_rate(pool, can),
    )


def _rate(pool: Pool, level: dict[str, Any]) -> int | str | None:
    rate: int | str | None = level["dividend"] if pool.terms.by_lines else level["coefficient_shown"]
    return rate


def _spoken(matches: tuple[int, ...]) -> str:
    if not matches:
        return "—"
    return str(matches[0]) if len(matches) == 1 else f"{matches[0]}–{matches[-1]}"
