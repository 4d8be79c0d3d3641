"""What a coupon would cost, without placing it; also one that is not wholly marked yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from pools.models import Pool
from pools.services.betting import read_coupon
from totalizator.core.errors import DomainError, Refusal
from totalizator.engine.coupon import Coupon, price_of, read_marks
from totalizator.engine.errors import EngineError
from totalizator.engine.price import price_of_lines


@dataclass(frozen=True, slots=True)
class Quote:
    """A coupon and its price in kopecks; None where the player chooses the stake."""

    coupon: Coupon
    price: int | None


@dataclass(frozen=True, slots=True)
class QuoteSoFar:
    """Lines and price, in kopecks, of the conditions that are marked; `unmarked` are the numbers of the others.

    The price is None where the player chooses the stake; `each` is then what of a stake falls on a line. Without a
    mark at all there is no line.
    """

    lines: int
    price: int | None
    each: int | None
    unmarked: tuple[int, ...]
    conditions: int

    @property
    def marked(self) -> int:
        """How many conditions have a mark."""
        return self.conditions - len(self.unmarked)


def quote_coupon(pool: Pool, selections: str) -> Quote:
    """Read a coupon and price it.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES (C39).
    """
    coupon = read_coupon(pool, selections)
    try:
        return Quote(coupon, price_of(pool.terms, coupon))
    except EngineError as fault:
        raise _refusal(fault) from fault


def quote_so_far(pool: Pool, marks: Sequence[str], stake: int | None = None) -> QuoteSoFar:
    """Price what is marked by now: `marks` has `X` or `1+2` for each condition, nothing where it has no mark.

    `stake`, of a pool where the player chooses it, is checked once every condition is marked.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES, BAD_STAKE.
    """
    terms = pool.terms
    unmarked = tuple(number for number, text in enumerate(marks, 1) if not text)
    try:
        counts = [
            read_marks(condition, text).bit_count()
            for condition, text in zip(terms.conditions, marks, strict=True)
            if text
        ]
        lines = prod(counts) if counts else 0
        price = price_of_lines(terms, lines)
    except EngineError as fault:
        raise _refusal(fault) from fault
    each = terms.price.line
    if price is None and stake is not None and not unmarked:
        read_coupon(pool, ";".join(marks), stake)
        each = stake // lines
    return QuoteSoFar(lines, price, each, unmarked, len(terms.conditions))


def _refusal(fault: EngineError) -> DomainError:
    return DomainError(Refusal(fault.code.lower()), str(fault), field="selections")
