"""How it works: what a pool is, where each rouble goes, how anybody checks it; reckoned by the engine each time."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from pools.documents.charts import division_chart
from pools.models import Pool, PoolState
from pools.services.worked_examples import LINE, Example, position_example, system_lines, variant_example
from pools.views.statement_in_words import levels_in_words
from totalizator.core import clock
from totalizator.core.charts import Chart
from totalizator.core.legal import legal_numbers
from totalizator.engine.statement import statement_document


def how(request: HttpRequest) -> HttpResponseBase:
    """Explain the games with two pools so small that every kopeck can be followed."""
    marks, lines = system_lines()
    settled = Pool.objects.filter(state__in=(PoolState.SETTLED, PoolState.ARCHIVED)).order_by("-closed_at").first()
    now = clock.now()
    context = {
        "position": _shown(position_example()),
        "variant": _shown(variant_example()),
        "system": {"marks": marks, "lines": lines, "price": lines * LINE},
        "line": LINE,
        "settled": settled,
        "taking": Pool.objects.filter(
            state__in=(PoolState.ANNOUNCED, PoolState.OPEN), opens_at__lte=now, closes_at__gt=now
        )
        .order_by("closes_at")
        .first(),
        "age": int(legal_numbers(now)["minimum_age"]),
    }
    return render(request, "pools/how.html", context)


def _shown(example: Example) -> dict[str, object]:
    """Return an example with its division as a chart, in the reader's language."""
    return {
        "example": example,
        "statement": example.statement,
        "levels": levels_in_words(statement_document(example.statement)),
        "chart": _chart(example),
    }


def _chart(example: Example) -> Chart:
    statement = example.statement
    parts = {
        _("Organizer"): statement.takeout,
        _("Winners"): statement.winnings or 0,
        _("Jackpot"): statement.jackpot_out or 0,
    }
    return division_chart(statement.turnover, {name: amount for name, amount in parts.items() if amount})
