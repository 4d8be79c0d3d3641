"""A player's own page: balance, bets in play, what waits, and the history of all bets (¶35.3, C7)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.ledger.balances import balance_as_read
from accounts.models import LimitPeriod, Person
from accounts.permissions import PersonRequest, player_only
from accounts.queries.standing import standing_of
from accounts.services.game_accounts import open_game_account
from accounts.services.standing import bar_of
from accounts.views.idle import minutes_here
from payouts.forms.mine import HistoryForm
from payouts.queries.my_bets import IN_PLAY, first_in_play, my_bets, waits_for, with_payables
from pools.models import Bet, Pool, PoolState
from pools.queries.played import won_less_staked
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.paging import page_of
from totalizator.core.problem import told

BETS_A_PAGE = 25
MOST_IN_PLAY, MOST_OVER = 20, 5


class Stage(StrEnum):
    """Where a bet in play stands, by the clock."""

    SELLS = "sells"
    PLAYED = "played"
    SEALED = "sealed"


@dataclass(frozen=True, slots=True)
class BetInPlay:
    """A bet whose pool is not settled."""

    bet: Bet
    stage: Stage | None


@player_only
def my_page(request: PersonRequest) -> HttpResponseBase:
    """Show the balance, what waits, the bets in play that close first, and the latest that are over."""
    account, at = open_game_account(player=request.user), clock.now()
    person = account.player.person
    barred = bar_of(standing_of(person, at), at)
    first = first_in_play(request.user, MOST_IN_PLAY + 1)
    over = my_bets(request.user).exclude(pool__state__in=IN_PLAY)[:MOST_OVER]
    context = {
        "at": at,
        "balance": balance_as_read(account.ledger_account),
        "minutes_here": minutes_here(request, at),
        "net_results": _net_results(person, at),
        "barred": told(barred) if barred else "",
        "unidentified": barred is not None and barred.code == Refusal.NOT_VERIFIED,
        "waits": waits_for(account, request.user, at),
        "in_play": [BetInPlay(bet, stage_of(bet.pool, at)) for bet in first[:MOST_IN_PLAY]],
        "more_in_play": len(first) > MOST_IN_PLAY,
        "history": with_payables(list(over)),
    }
    return render(request, "player/my.html", context)


@player_only
def history(request: PersonRequest) -> HttpResponseBase:
    """List all bets of a year or longer, of one game or state."""
    at, asked = clock.now(), request.GET.copy()
    asked.pop("page", None)
    form = HistoryForm({"period": "year"} | asked.dict())
    narrowed: dict[str, Any] = form.narrows(at)
    page = page_of(request, my_bets(request.user, **narrowed), BETS_A_PAGE)
    shown = [(mine, stage_of(mine.bet.pool, at)) for mine in with_payables(list(page.object_list))]
    keep = f"{asked.urlencode()}&" if asked else ""
    context = {"at": at, "form": form, "page": page, "shown": shown, "keep": keep}
    return render(request, "player/history.html", context)


def stage_of(pool: Pool, at: datetime) -> Stage | None:
    """Return where a pool in play stands: the clock decides before a job has moved it; None when it is over."""
    if pool.state not in IN_PLAY:
        return None
    if pool.state == PoolState.RESULTED:
        return Stage.SEALED
    return Stage.PLAYED if pool.state == PoolState.CLOSED or at >= pool.closes_at else Stage.SELLS


def _net_results(person: Person, at: datetime) -> list[tuple[str, int]]:
    """Return what the last day, week and month have brought, below zero for a loss (P3)."""
    nets = won_less_staked(person, *(at - period.length for period in LimitPeriod))
    return [(str(period.label), net) for period, net in zip(LimitPeriod, nets, strict=True)]
