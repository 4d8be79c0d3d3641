"""A player's own page: balance, bets in play, what waits, and the history of all bets (¶35.3, C7)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.ledger.balances import balance
from accounts.models import LimitPeriod, User
from accounts.permissions import PersonRequest, player_only
from accounts.queries.standing import standing_of
from accounts.services.game_accounts import open_game_account
from accounts.services.persons import person_of
from accounts.services.standing import refuse_barred, refuse_unidentified
from accounts.views.idle import minutes_here
from payouts.forms.mine import HistoryForm
from payouts.queries.my_bets import IN_PLAY, BetFate, my_bets, waits_for, with_payables
from pools.models import Bet, Pool, PoolState
from pools.queries.played import won_less_staked
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
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
    barred = _barred(request.user)
    playing = my_bets(request.user, fate=BetFate.PLAY).order_by("pool__closes_at", "-registered_at", "ticket")
    over = my_bets(request.user).exclude(pool__state__in=IN_PLAY)[:MOST_OVER]
    first = list(playing[: MOST_IN_PLAY + 1])
    context = {
        "at": at,
        "balance": balance(account.ledger_account),
        "minutes_here": minutes_here(request, at),
        "net_results": _net_results(request.user, at),
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


def _net_results(player: User, at: datetime) -> list[tuple[str, int]]:
    """Return what the last day, week and month have brought, below zero for a loss (P3)."""
    person = person_of(player)
    return [(str(period.label), won_less_staked(person, at - period.length)) for period in LimitPeriod]


def _barred(player: User) -> DomainError | None:
    """Say what keeps the player from betting, before a coupon is filled in for nothing; None when nothing does."""
    at = clock.now()
    try:
        standing = standing_of(person_of(player), at)
        refuse_unidentified(standing, at)
        refuse_barred(standing, at)
    except DomainError as refusal:
        return refusal
    return None
