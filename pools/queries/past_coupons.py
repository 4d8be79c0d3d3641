"""A player's earlier coupons that can be marked again in a pool: those whose conditions have the same outcomes."""

from dataclasses import dataclass

from accounts.models import User
from pools.models import Bet, Pool
from totalizator.engine.coupon import Coupon, coupon_from_bits
from totalizator.engine.terms import Terms

LOOKED_BACK = 60
MOST = 8


@dataclass(frozen=True, slots=True)
class PastCoupon:
    """A bet, and what was marked in it."""

    bet: Bet
    coupon: Coupon


def past_coupons(player: User, pool: Pool) -> list[PastCoupon]:
    """Return the latest different coupons of the player's that fit the pool, the latest first."""
    bets = Bet.objects.filter(player=player, pool__game=pool.game).select_related("pool")
    found: dict[str, PastCoupon] = {}
    for bet in bets.order_by("-registered_at")[:LOOKED_BACK]:
        if bet.bits not in found and same_outcomes(bet.pool.terms, pool.terms):
            found[bet.bits] = PastCoupon(bet, coupon_from_bits(pool.terms, bet.bits))
        if len(found) == MOST:
            break
    return list(found.values())


def same_outcomes(one: Terms, other: Terms) -> bool:
    """Tell whether a coupon of one pool can be read in another: as many conditions, each with the same outcomes."""
    return _outcomes(one) == _outcomes(other)


def _outcomes(terms: Terms) -> list[tuple[str, ...]]:
    return [tuple(outcome.code for outcome in condition.outcomes) for condition in terms.conditions]
