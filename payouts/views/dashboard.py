"""The organizer's dashboard: today's money, pools by state, and what needs a hand (N1-N4)."""

from dataclasses import dataclass

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise

from accounts.permissions import PersonRequest, organizer_only
from payouts.queries.today import money_of_day
from payouts.queries.waiting.shape import Waiting
from payouts.views.waiting_sources import MOST_LINES, SOURCES, Glance, Source, waiting_now
from pools.documents.charts import turnover_chart
from pools.models import PoolState
from totalizator.core import clock
from totalizator.engine.deadlines import legal_day


@dataclass(frozen=True, slots=True)
class Shown:
    """A source where something waits, as the page shows it."""

    title: str | Promise
    address: str
    waiting: Waiting
    is_late: bool


@organizer_only
def dashboard(request: PersonRequest) -> HttpResponseBase:
    """Show how the day goes and what waits for somebody."""
    glance = Glance(clock.now())
    money = money_of_day(legal_day(glance.now), glance.now)
    channels, hours = money.channels, money.turnover
    context = {
        "now": glance.now,
        "channels": channels,
        "totals": {name: sum(getattr(row, name) for row in channels) for name in ("bets", "sold", "paid", "returned")},
        "turnover": turnover_chart(hours) if any(amount for _hour, amount in hours) else None,
        "states": [(state.value, state.label, glance.pools[state]) for state in PoolState if state in glance.pools],
        "waiting": [_shown(source, waiting, glance) for source, waiting in waiting_now(glance)],
    }
    return render(request, "organizer/dashboard.html", context)


@organizer_only
def waiting(request: PersonRequest, name: str) -> HttpResponseBase:
    """List what waits of one source, the oldest first."""
    source = next((source for source in SOURCES if source.name == name), None)
    if source is None:
        raise Http404
    glance = Glance(clock.now())
    context = {"source": source, "lines": source.listed(glance), "now": glance.now, "most": MOST_LINES}
    return render(request, "organizer/waiting.html", context)


def _shown(source: Source, waiting: Waiting, glance: Glance) -> Shown:
    address = reverse(source.to) + source.asked if source.to else reverse("payouts:waiting", args=[source.name])
    return Shown(source.title, address, waiting, waiting.due is not None and waiting.due <= glance.now)
