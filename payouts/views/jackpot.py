"""The public page of a jackpot: what it holds, how it came to it, as a chart and as a table (J1, ¶17, ¶38)."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.ledger.kinds import TransferKind
from accounts.models import GameEnd
from payouts.documents.jackpot_chart import HEIGHT, WIDTH, jackpot_chart
from payouts.queries.jackpot_days import jackpot_days
from payouts.views.home import JACKPOT_NAMES, listed_jackpots
from totalizator.core import clock

LATEST = 100
FRESH_SECONDS = 60


@require_safe
def jackpot(request: HttpRequest, game: str) -> HttpResponseBase:
    """Show the jackpot with its chart and its latest days; the rest is in the open data."""
    shown = next((one for one in listed_jackpots() if one.owner == game), None)
    if shown is None:
        raise Http404
    days = jackpot_days(game)
    context = {
        "jackpot": shown,
        "days": [(day, _in_words(day.came_in), _in_words(day.went_out)) for day in reversed(days[-LATEST:])],
        "number": len(days),
        "first": days[0] if days else None,
        "most": max(days, key=lambda day: day.closing) if days else None,
        "drawn": [day for day in days if day.was_drawn],
        "end": GameEnd.objects.select_related("proposal").filter(game=game).first(),
        "size": {"width": WIDTH, "height": HEIGHT},
    }
    return render(request, "payouts/jackpot.html", context)


def _in_words(sums: Mapping[TransferKind, int]) -> list[tuple[str, int]]:
    return [(str(kind.label), amount) for kind, amount in sums.items()]


@require_safe
def chart(request: HttpRequest, game: str) -> HttpResponse:  # noqa: ARG001
    """Send the chart: an image of its own, which runs nothing and loads nothing."""
    if game not in JACKPOT_NAMES:
        raise Http404
    answer = HttpResponse(jackpot_chart(jackpot_days(game), clock.today()), content_type="image/svg+xml")
    answer["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    answer["Content-Security-Policy"] = "default-src 'none'"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
