"""A player's own page: balance, bets in play, history with what each won (¶35.3)."""

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Paginator
from django.http import Http404
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
from payouts.models import Payable, Payment
from payouts.queries.notices import notices_of
from payouts.queries.tickets import standing_payable
from pools.forms.coupon import grid
from pools.models import Bet, Correction, PoolState
from pools.queries.corrections import in_force
from pools.queries.played import won_less_staked
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.problem import told
from totalizator.engine.coupon import coupon_from_bits

IN_PLAY = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED, PoolState.RESULTED)
BETS_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class MyBet:
    """A bet of mine and what is or was owed on it."""

    bet: Bet
    payable: Payable | None


@player_only
def my_page(request: PersonRequest) -> HttpResponseBase:
    """Show the balance, the bets in play and the rest of the history."""
    account = open_game_account(player=request.user)
    bets = Bet.objects.filter(player=request.user).select_related("pool").order_by("-registered_at")
    page = Paginator(bets.exclude(pool__state__in=IN_PLAY), BETS_A_PAGE).get_page(request.GET.get("page"))
    at = clock.now()
    context = {
        "balance": balance(account.ledger_account),
        "minutes_here": minutes_here(request, at),
        "net_results": _net_results(request.user, at),
        "barred": _barred(request.user),
        "unread": notices_of(request.user.pk).filter(read_at__isnull=True).count(),
        "active": list(bets.filter(pool__state__in=IN_PLAY)[:200]),
        "page": page,
        "history": _with_payables(list(page.object_list)),
    }
    return render(request, "player/my.html", context)


@player_only
def my_ticket(request: PersonRequest, ticket: str) -> HttpResponseBase:
    """Show one bet of mine; its check code was shown when it was made, and never again."""
    bet = Bet.objects.filter(player=request.user, ticket=ticket).select_related("pool").first()
    if bet is None:
        raise Http404
    coupon = coupon_from_bits(bet.pool.terms, bet.bits)
    corrected = isinstance(in_force(bet.pool), Correction)
    winnings = bet.pool.corrected_winnings if corrected else bet.pool.winnings
    context = {
        "bet": bet,
        "pool": bet.pool,
        "rows": grid(bet.pool.terms, coupon.selections),
        "payables": Payable.objects.filter(pool_id=bet.pool_id, ticket=ticket),
        "payments": Payment.objects.filter(pool_id=bet.pool_id, ticket=ticket),
        "winnings": winnings.filter(ticket=ticket).order_by("level"),
        "corrected": corrected,
    }
    return render(request, "player/bet.html", context)


def _net_results(player: User, at: datetime) -> list[tuple[str, int]]:
    """Return what the last day, week and month have brought, below zero for a loss (P3)."""
    person = person_of(player)
    return [(str(period.label), won_less_staked(person, at - period.length)) for period in LimitPeriod]


def _barred(player: User) -> str:
    """Say what keeps the player from betting, before a coupon is filled in for nothing; empty when nothing does."""
    at = clock.now()
    try:
        standing = standing_of(person_of(player), at)
        refuse_unidentified(standing, at)
        refuse_barred(standing, at)
    except DomainError as refusal:
        return told(refusal)
    return ""


def _with_payables(bets: list[Bet]) -> list[MyBet]:
    tickets = [bet.ticket for bet in bets]
    payables = Payable.objects.filter(pool_id__in={bet.pool_id for bet in bets}, ticket__in=tickets)
    owed: dict[str, list[Payable]] = {}
    for payable in payables:
        owed.setdefault(payable.ticket, []).append(payable)
    return [MyBet(bet, standing_payable(owed.get(bet.ticket, []))) for bet in bets]
