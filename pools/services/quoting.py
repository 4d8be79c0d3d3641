"""What a coupon would cost, without placing it."""

from dataclasses import dataclass

from pools.models import Pool
from pools.services.betting import read_coupon
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.coupon import Coupon, price_of
from totalizator.engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class Quote:
    """A coupon and its price in kopecks; None where the player chooses the stake."""

    coupon: Coupon
    price: int | None


def quote_coupon(pool: Pool, selections: str) -> Quote:
    """Read a coupon and price it.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES (C39).
    """
    coupon = read_coupon(pool, selections)
    try:
        return Quote(coupon, price_of(pool.terms, coupon))
    except EngineError as fault:
        raise DomainError(Refusal(fault.code.lower()), str(fault), field="selections") from fault
