"""How pages show a jackpot's history: also the pages of the floor below (J1)."""

from datetime import datetime

from django import template
from django.core.cache import caches
from django.utils.translation import gettext

from payouts.queries.jackpot import jackpot_history
from pools.documents.charts import jackpot_chart
from pools.models import Pool, jackpot_owner
from totalizator.core.charts import Chart

register = template.Library()
LATEST = 60
FRESH_SECONDS = 60


@register.simple_tag
def jackpot_chart_of(pool: Pool) -> Chart | None:
    """Draw the latest moves of the jackpot that the pool feeds; nothing before the second."""
    owner = jackpot_owner(pool.game)
    names = {"sportloto": gettext("Sportloto"), "totolot": gettext("Totolot")}
    moments = _moments(owner)
    return jackpot_chart(names[owner], moments) if len(moments) > 1 else None


def _moments(owner: str) -> list[tuple[datetime, int]]:
    """Return when the jackpot moved and what it held then, counted once a minute in each process."""
    cache, key = caches["process"], f"jackpot-moments:{owner}"
    known: list[tuple[datetime, int]] | None = cache.get(key)
    if known is None:
        known = [(move.at, move.closing) for move in jackpot_history(owner)[-LATEST:]]
        cache.set(key, known, FRESH_SECONDS)
    return known
