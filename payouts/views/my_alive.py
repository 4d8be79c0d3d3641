"""A player's coupons while their matches are played: how many lines of each can still reach each level (O2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http.response import HttpResponseBase
from django.shortcuts import render

from accounts.permissions import PersonRequest, player_only
from pools.models import AliveCount, Bet, Pool, PoolState
from pools.queries.cancelled_bets import bets_in_division
from pools.queries.provisional import KnownSoFar, known_of_all
from pools.views.alive import REFRESH_SECONDS, AliveLevel, levels_alive, outlook_of
from totalizator.core.paging import page_of
from totalizator.engine.alive import Outlook
from totalizator.engine.coupon import coupon_from_bits

COUPONS_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class AliveCoupon:
    """A bet, and for each level in turn its name, how many lines can still reach it, how many are on it now."""

    bet: Bet
    levels: tuple[tuple[str, int, int], ...]

    @property
    def is_alive(self) -> bool:
        """Whether any line can still win."""
        return any(alive for _level, alive, _now in self.levels)


@dataclass(frozen=True, slots=True)
class PlayedPool:
    """A pool that is played: what is known, its levels as counted over all bets, and coupons of mine in it."""

    pool: Pool
    known: int
    of: int
    returned: bool
    levels: tuple[AliveLevel, ...]
    coupons: tuple[AliveCoupon, ...]
    names: tuple[str, ...]


@player_only
def my_alive(request: PersonRequest) -> HttpResponseBase:
    """Show my coupons of all pools that are played."""
    return render(request, "player/alive.html", _shown(request))


@player_only
def my_alive_now(request: PersonRequest) -> HttpResponseBase:
    """Show the part of it that changes, for a page that is open."""
    return render(request, "player/alive_now.html", _shown(request))


def alive_of(bet: Bet) -> PlayedPool:
    """Return how one bet stands in its pool."""
    return played_pools([bet])[0]


def played_pools(bets: Sequence[Bet]) -> list[PlayedPool]:
    """Return how bets stand, by their pools in the order they come; what is known is read in two queries."""
    by_pool: dict[int, list[Bet]] = {}
    for bet in bets:
        by_pool.setdefault(bet.pool_id, []).append(bet)
    pools = [of_one[0].pool for of_one in by_pool.values()]
    known, counts = known_of_all(pools), _newest_counts(pools)
    return [_played(pool, by_pool[pool.pk], known.get(pool.pk, KnownSoFar()), counts.get(pool.pk)) for pool in pools]


def _shown(request: PersonRequest) -> dict[str, object]:
    bets = bets_in_division().filter(player=request.user, pool__state=PoolState.CLOSED).select_related("pool")
    ordered = bets.order_by("pool__closes_at", "pool_id", "-registered_at", "ticket")
    page = page_of(request, ordered, COUPONS_A_PAGE)
    return {"page": page, "played": played_pools(list(page.object_list)), "refresh": REFRESH_SECONDS}


def _newest_counts(pools: Sequence[Pool]) -> dict[int, AliveCount]:
    """Return the newest count of each pool's bets, by the pool's id."""
    counts = AliveCount.objects.filter(provisional__pool__in=pools).select_related("provisional")
    newest = counts.order_by("provisional__pool_id", "-pk").distinct("provisional__pool_id")
    return {counted.provisional.pool_id: counted for counted in newest}


def _played(pool: Pool, bets: Sequence[Bet], known: KnownSoFar, counted: AliveCount | None) -> PlayedPool:
    outlook = outlook_of(pool, known)
    started = datetime.fromisoformat(known.first_started_at) if known.first_started_at else None
    return PlayedPool(
        pool=pool,
        known=len(known.told),
        of=len(pool.terms.conditions),
        returned=outlook is None,
        levels=levels_alive(pool, counted, outlook),
        coupons=tuple(_coupon(bet, outlook, started) for bet in bets) if outlook is not None else (),
        names=tuple(level.code for level in pool.terms.levels),
    )


def _coupon(bet: Bet, outlook: Outlook, started: datetime | None) -> AliveCoupon:
    """Ask what a bet can still reach; one that was made after the actual start can reach nothing (D-16)."""
    coupon = coupon_from_bits(bet.pool.terms, bet.bits)
    in_time = started is None or bet.registered_at < started
    alive = dict(outlook.levels_of(coupon)) if in_time else {}
    now = dict(outlook.so_far.levels_of(coupon)) if in_time else {}
    levels = tuple((level, alive.get(level, 0), now.get(level, 0)) for level in outlook.matches_on)
    return AliveCoupon(bet, levels)
