"""The public page of a jackpot: what it holds, how it came to it, as a chart and as a table (J1, ¶17, ¶38)."""

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.ledger.kinds import TransferKind
from accounts.models import GameEnd
from payouts.queries import JackpotMove, jackpot_history
from payouts.queries.jackpot_days import days_of
from payouts.views.home import listed_jackpots
from pools.documents.charts import jackpot_chart
from totalizator.core import clock
from totalizator.core.charts import Chart
from totalizator.core.paging import page_of
from totalizator.engine.deadlines import legal_day

DAYS_A_PAGE, DAYS_DRAWN, DRAWS_TOLD = 50, 100, 12


@require_safe
def jackpot(request: HttpRequest, game: str) -> HttpResponseBase:
    """Show the jackpot with its chart and its days, the latest first; every move is in the open data."""
    shown = next((one for one in listed_jackpots() if one.owner == game), None)
    if shown is None:
        raise Http404
    moves = jackpot_history(game)
    days = days_of(game, moves)
    page = page_of(request, list(reversed(days)), DAYS_A_PAGE)
    context = {
        "jackpot": shown,
        "page": page,
        "days": [(day, _in_words(day.came_in), _in_words(day.went_out)) for day in page],
        "most": max(days, key=lambda day: day.closing) if days else None,
        "drawn": [day for day in days if day.was_drawn][-DRAWS_TOLD:],
        "chart": _chart(moves, str(shown.name)),
        "end": GameEnd.objects.select_related("proposal").filter(game=game).first(),
    }
    return render(request, "payouts/jackpot.html", context)


def _chart(moves: Sequence[JackpotMove], name: str) -> Chart | None:
    """Draw what it held after the last move of each day, and that it still does."""
    by_day = {legal_day(move.at): (move.at, move.closing) for move in moves}
    moments = list(by_day.values())[-DAYS_DRAWN:]
    return jackpot_chart(name, moments, clock.now()) if moments else None


def _in_words(sums: Mapping[TransferKind, int]) -> list[tuple[str, int]]:
    return [(str(kind.label), amount) for kind, amount in sums.items()]
