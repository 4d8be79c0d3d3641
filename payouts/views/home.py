"""The first page: pools that take bets or soon will, jackpots, recent results."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payouts.queries import JACKPOTS, jackpot_balance
from pools.models import Pool, PoolState
from pools.views.figures import Figures, figures_of
from totalizator.core import clock

JACKPOT_NAMES = {"sportloto": _("Sportloto"), "totolot": _("Totolot")}
MOST_POOLS = 40


@dataclass(frozen=True, slots=True)
class ListedPool:
    """A pool with its live figures."""

    pool: Pool
    figures: Figures


@dataclass(frozen=True, slots=True)
class ListedJackpot:
    """What a jackpot holds, in kopecks."""

    name: str | Promise
    owner: str
    amount: int


def listed_jackpots() -> list[ListedJackpot]:
    """Return the jackpots with what they hold."""
    return [ListedJackpot(JACKPOT_NAMES[owner], owner, jackpot_balance(owner)) for owner in JACKPOTS]


def home(request: HttpRequest) -> HttpResponseBase:
    """Show what can be bet on, and what came of the last pools."""
    now = clock.now()
    taking = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN), closes_at__gt=now)
    settled = Pool.objects.filter(state__in=(PoolState.RESULTED, PoolState.SETTLED, PoolState.CANCELLED))
    closed = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED), closes_at__lte=now)
    early = Pool.objects.filter(state=PoolState.CLOSED, closes_at__gt=now)
    context = {
        "open": _listed(taking.filter(opens_at__lte=now)),
        "coming": taking.filter(opens_at__gt=now).order_by("opens_at")[:MOST_POOLS],
        "waiting": _listed((closed | early).order_by("-closes_at")),
        "results": _listed(settled.order_by("-closed_at", "code")),
        "jackpots": listed_jackpots(),
    }
    return render(request, "payouts/home.html", context)


def _listed(pools: QuerySet[Pool]) -> list[ListedPool]:
    return [ListedPool(pool, figures_of(pool)) for pool in pools[:MOST_POOLS]]
