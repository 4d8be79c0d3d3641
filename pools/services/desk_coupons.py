"""Coupons as a cashier types them at the desk: in whatever keyboard layout, with the stake behind a star (B7)."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from pools.services.betting import read_coupon
from pools.services.typed_coupons import random_selections, read_typed
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.keyboard import latin_keys
from totalizator.core.money import parse_byn
from totalizator.engine.coupon import Coupon

_STAR = "*"


@dataclass(frozen=True, slots=True)
class TypedBet:
    """A coupon of a pool with what it costs, in kopecks."""

    pool: Pool
    coupon: Coupon
    stake: int


def read_typed_bet(pool: Pool, text: str) -> TypedBet:
    """Read `1X2`, or `1X2*5.50` where the player chooses the stake; without marks, `*` is a line at random.

    Marks are tried as they were typed, and as the same keys write them in a Latin layout: Ч is where X is.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES, BAD_STAKE, BAD_VALUE naming `stake`: of the text as it was
        typed.
    """
    marks, star, stake = text.partition(_STAR)
    quick_pick = bool(star) and not marks.strip()
    coupon = read_coupon(pool, random_selections(pool.terms)) if quick_pick else typed_coupon(pool, marks)
    price = pool.terms.price.line
    if stake:
        paid = _amount(stake)
        read_coupon(pool, coupon.selections, paid)
        return TypedBet(pool, coupon, paid)
    if not price:
        message = _("The player chooses the stake: type it behind a star, as in 1X2*5.")
        raise DomainError(Refusal.BAD_STAKE, message, field="stake")
    return TypedBet(pool, coupon, coupon.lines * price)


def typed_coupon(pool: Pool, marks: str) -> Coupon:
    """Read the marks alone, in whatever layout; :raises DomainError: BAD_SELECTION, TOO_MANY_LINES."""
    try:
        return read_coupon(pool, read_typed(pool.terms, marks))
    except DomainError as as_typed:
        latin = latin_keys(marks)
        if latin == marks:
            raise
        try:
            return read_coupon(pool, read_typed(pool.terms, latin))
        except DomainError:
            raise as_typed from as_typed.__cause__


def _amount(stake: str) -> int:
    try:
        return parse_byn(stake, field="stake")
    except DomainError:
        return parse_byn(latin_keys(stake), field="stake")
