"""A player's own bets: in play or over, with what is owed on them; and what waits for the player (¶35.3)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum, TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import GameAccount, User
from payouts.models import (
    OPEN_DISPUTES,
    WINNINGS,
    Dispute,
    DisputeState,
    DisputeStep,
    Payable,
    PayableKind,
    PayableState,
    TicketOwner,
)
from payouts.queries.notices import notices_of
from payouts.queries.tickets import standing_payable
from pools.models import Bet, PoolState

IN_PLAY = (PoolState.ANNOUNCED, PoolState.OPEN, PoolState.CLOSED, PoolState.RESULTED)
ANSWERED_LATELY, MOST_ANSWERED = timedelta(days=30), 5
ANSWERS = (DisputeState.UPHELD, DisputeState.REJECTED)


# A player's bets are few, a pool's are many: left to choose, the planner would begin with those of each pool in play.
_MINE_IN_PLAY = """
WITH mine AS MATERIALIZED (SELECT pool_id, ticket, registered_at FROM pools_bet WHERE player_id = %(player)s)
SELECT {columns} FROM mine m JOIN pools_pool p ON p.id = m.pool_id WHERE p.state = ANY(%(states)s)
"""


class BetFate(TextChoices):
    """What became of bets, as a player looks for them."""

    PLAY = "play", _("in play")
    WON = "won", pgettext_lazy("bets", "won")
    WAITS = "waits", _("to be paid")
    NOTHING = "nothing", _("nothing won")
    RETURNED = "returned", _("stake returned")


@dataclass(frozen=True, slots=True)
class MyBet:
    """A bet of mine and what is or was owed on it."""

    bet: Bet
    payable: Payable | None


@dataclass(frozen=True, slots=True)
class WaitsForMe:
    """What a player should look at: counts, and kopecks before tax."""

    notices: int
    to_fetch: int
    to_fetch_amount: int
    on_its_way: int
    disputes: int
    answered: tuple[Dispute, ...]


def my_bets(player: User, *, fate: str = "", game: str = "", since: datetime | None = None) -> QuerySet[Bet]:
    """Return the player's bets with their pools, the newest first; each filter narrows them."""
    bets = Bet.objects.filter(player=player).select_related("pool").order_by("-registered_at", "ticket")
    if game:
        bets = bets.filter(pool__game=game)
    if since is not None:
        bets = bets.filter(registered_at__gte=since)
    return bets.filter(_that_came_to(fate)) if fate else bets


def first_in_play(player: User, most: int) -> list[Bet]:
    """Return the bets in play whose pools close first; of all that the player has, only the keys are read."""
    order = "ORDER BY p.closes_at, m.registered_at DESC, m.ticket LIMIT %(most)s"
    with connection.cursor() as cursor:
        asked: dict[str, Any] = {"player": player.pk, "states": list(IN_PLAY), "most": most}
        cursor.execute(f"{_MINE_IN_PLAY.format(columns='m.pool_id, m.ticket')} {order}", asked)
        keys = cursor.fetchall()
    found = {bet.pk: bet for bet in Bet.objects.filter(pk__in=keys).select_related("pool")} if keys else {}
    return [found[key] for key in keys]


def count_in_play(player: User) -> int:
    """Return how many bets of the player are in play."""
    with connection.cursor() as cursor:
        asked: dict[str, Any] = {"player": player.pk, "states": list(IN_PLAY)}
        cursor.execute(_MINE_IN_PLAY.format(columns="count(*)"), asked)
        (count,) = cursor.fetchone()
    return int(count)


def _that_came_to(fate: str) -> Q | Exists:
    owed = Payable.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket")).exclude(state=PayableState.REVOKED)
    if fate == BetFate.PLAY:
        return Q(pool__state__in=IN_PLAY)
    if fate == BetFate.WON:
        return Exists(owed.filter(kind__in=WINNINGS))
    if fate == BetFate.WAITS:
        return Exists(owed.filter(state=PayableState.DUE))
    if fate == BetFate.RETURNED:
        return Exists(owed.filter(kind=PayableKind.REFUND))
    return ~Q(pool__state__in=IN_PLAY) & ~Q(Exists(owed))


def with_payables(bets: list[Bet]) -> list[MyBet]:
    """Return bets with what matters of all that was ever owed on each, read in one query."""
    tickets = [bet.ticket for bet in bets]
    payables = Payable.objects.filter(pool_id__in={bet.pool_id for bet in bets}, ticket__in=tickets)
    owed: dict[str, list[Payable]] = {}
    for payable in payables:
        owed.setdefault(payable.ticket, []).append(payable)
    return [MyBet(bet, standing_payable(owed.get(bet.ticket, []))) for bet in bets]


def waits_for(account: GameAccount, player: User, at: datetime) -> WaitsForMe:
    """Return what waits: unread notices, winnings to fetch at a desk or on their way, disputes."""
    tickets = list(TicketOwner.objects.filter(account=account).values_list("pool_id", "ticket"))
    due = Payable.objects.filter(state=PayableState.DUE)
    bound = due.filter(pool_id__in={pool for pool, _t in tickets}, ticket__in=[ticket for _p, ticket in tickets])
    fetch = bound.filter(pay_to__isnull=True).filter(Q(payable_until__isnull=True) | Q(payable_until__gt=at))
    told = fetch.aggregate(tickets=Count("ticket"), amount=Sum("amount"))
    unread = notices_of(player.pk).filter(read_at__isnull=True).order_by()
    coming = due.filter(pay_to=account.ledger_account_id)
    counted = GameAccount.objects.filter(pk=account.pk).values_list(
        Subquery(unread.values("player_id").annotate(all=Count("pk")).values("all")),
        Subquery(coming.values("pay_to_id").annotate(all=Sum("amount")).values("all")),
    )
    notices, on_its_way = counted.get()
    answers = DisputeStep.objects.filter(dispute=OuterRef("pk"), state__in=ANSWERS, taken_at__gt=at - ANSWERED_LATELY)
    mine = Dispute.objects.filter(Q(state__in=OPEN_DISPUTES) | Exists(answers), opened_by=player).order_by("-pk")
    disputes = list(mine)
    answered = [dispute for dispute in disputes if dispute.state not in OPEN_DISPUTES]
    return WaitsForMe(
        notices=notices or 0,
        to_fetch=told["tickets"],
        to_fetch_amount=int(told["amount"] or 0),
        on_its_way=int(on_its_way or 0),
        disputes=len(disputes) - len(answered),
        answered=tuple(answered[:MOST_ANSWERED]),
    )
