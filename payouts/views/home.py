"""The first page: what can be bet on, found by name, game and state; the jackpots; what came of the last pools."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from payouts.queries.jackpot import JACKPOTS, jackpot_amounts, jackpot_moments
from pools.documents.charts import jackpot_chart
from pools.forms.finding import FindForm
from pools.models import Pool, PoolState, jackpot_owner
from pools.queries.finding import pools_named, pools_over
from pools.views.addresses import asked_again
from pools.views.figures import Figures, figures_at_a_glance
from pools.views.result_rows import result_rows
from totalizator.core import clock
from totalizator.core.charts import Chart
from totalizator.core.legal import legal_numbers
from totalizator.core.paging import page_of

JACKPOT_NAMES = {"sportloto": _("Sportloto"), "totolot": _("Totolot")}
POOLS_A_PAGE, GLANCED_AT, NEWEST_RESULTS, CHARTED = 24, 12, 5, 12
SOON = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ListedPool:
    """A pool with its live figures; `jackpot` is what it would draw now, in kopecks, of one that draws it."""

    pool: Pool
    figures: Figures
    jackpot: int | None


@dataclass(frozen=True, slots=True)
class ListedJackpot:
    """What a jackpot holds, in kopecks."""

    name: str | Promise
    owner: str
    amount: int

    @property
    def chart(self) -> Chart | None:
        """Its latest moves; nothing before the first."""
        moments = jackpot_moments(self.owner)[-CHARTED:]
        return jackpot_chart(str(self.name), moments, clock.now()) if moments else None


def listed_jackpots() -> list[ListedJackpot]:
    """Return the jackpots with what they hold."""
    amounts = jackpot_amounts()
    return [ListedJackpot(JACKPOT_NAMES[owner], owner, amounts[owner]) for owner in JACKPOTS]


def home(request: HttpRequest) -> HttpResponseBase:
    """Show what can be bet on, and what came of the last pools; with a state asked for, the pools in it alone."""
    now = clock.now()
    form = FindForm(request.GET)
    fine = form.is_valid()
    asked = form.cleaned_data if fine else {}
    found = {name: _asked(pools, asked, now) for name, pools in _by_state(now).items()}
    chosen = asked.get("state") or "open"
    page = page_of(request, found[chosen], POOLS_A_PAGE)
    others = {name: pools[: GLANCED_AT + 1] for name, pools in found.items() if name != chosen}
    glanced: dict[str, list[Pool]] = {name: [] if asked.get("state") else list(pools) for name, pools in others.items()}
    jackpots = listed_jackpots()
    shown = _listed([*page.object_list, *(pool for pools in glanced.values() for pool in pools)], jackpots)
    context = {
        "form": form,
        "filtered": any(asked.values()),
        "keep": asked_again(request.GET, form),
        "chosen": chosen,
        "page": page,
        "pools": [shown[pool.pk] for pool in page.object_list],
        "glanced": {
            name: {"pools": [shown[pool.pk] for pool in pools[:GLANCED_AT]], "more": len(pools) > GLANCED_AT}
            for name, pools in glanced.items()
        },
        "results": result_rows(list(pools_over()[:NEWEST_RESULTS]), with_log=False) if not asked.get("state") else [],
        "jackpots": jackpots,
        "age": int(legal_numbers(now)["minimum_age"]),
        "now": now,
    }
    return render(request, "payouts/home.html", context, status=200 if fine else 400)


def _by_state(now: datetime) -> dict[str, QuerySet[Pool]]:
    """Return the pools that take bets by the clock, those that will, and those that wait for their result (D-11)."""
    announced = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN))
    over = Pool.objects.filter(state__in=(PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED), closes_at__lte=now)
    early = Pool.objects.filter(state=PoolState.CLOSED, closes_at__gt=now)
    return {
        "open": announced.filter(opens_at__lte=now, closes_at__gt=now).order_by("closes_at", "code"),
        "coming": announced.filter(opens_at__gt=now).order_by("opens_at", "code"),
        "waiting": (over | early).order_by(F("closed_at").desc(nulls_first=True), "-closes_at", "code"),
    }


def _asked(pools: QuerySet[Pool], asked: dict[str, object], now: datetime) -> QuerySet[Pool]:
    if asked.get("game"):
        pools = pools.filter(game=asked["game"])
    if asked.get("soon"):
        pools = pools.filter(closes_at__gt=now, closes_at__lte=now + SOON)
    return pools_named(pools, str(asked["q"])) if asked.get("q") else pools


def _listed(pools: list[Pool], jackpots: Iterable[ListedJackpot]) -> dict[int, ListedPool]:
    """Return pools with their figures by their ids, however many there are in the same few queries."""
    figures = figures_at_a_glance(pools) if pools else {}
    held = {jackpot.owner: jackpot.amount for jackpot in jackpots}
    return {
        pool.pk: ListedPool(pool, figures[pool.pk], held[jackpot_owner(pool.game)] if pool.draws_jackpot else None)
        for pool in pools
    }
