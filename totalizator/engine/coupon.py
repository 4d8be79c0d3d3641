"""A coupon: which outcomes are marked in each condition, and how many single lines that is (D-10)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from totalizator.engine.announced import Condition, Terms
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.price import check_stake_of_lines, price_of_lines

CONDITION_SEPARATOR = ";"
MARK_SEPARATOR = "+"


@dataclass(frozen=True, slots=True)
class Coupon:
    """The marks of one bet, in the forms that are computed with, printed and stored."""

    marks: tuple[int, ...]
    """Per condition an int: bit i stands for outcome i of the announced order."""
    selections: str
    """The text of bets.csv: `1;X;1+2`."""
    bits: str
    """A 0 or 1 per outcome of every condition, the first condition's first outcome leftmost."""

    @property
    def lines(self) -> int:
        """How many single lines the coupon is: the product of the marks, never expanded."""
        return prod(mask.bit_count() for mask in self.marks)


def read_selections(terms: Terms, text: str, *, where: str = "selections") -> Coupon:
    """Read `1;X;1+2`: conditions in the order of the terms, marks in a condition too, each once.

    So a text that is right is the coupon's own: there is no other for the same marks.

    :raises EngineError: BAD_SELECTION, naming the condition.
    """
    parts = text.split(CONDITION_SEPARATOR)
    if len(parts) != len(terms.conditions):
        expected = f"{len(terms.conditions)} conditions joined by ; and not {len(parts)}"
        raise EngineError("BAD_SELECTION", where, expected)
    marks = tuple(
        read_marks(condition, part, where=where) for condition, part in zip(terms.conditions, parts, strict=True)
    )
    return Coupon(marks=marks, selections=text, bits=_bits(terms, marks))


def read_marks(condition: Condition, text: str, *, where: str = "selections") -> int:
    """Read the marks of one condition, `X` or `1+2`, as bits.

    :raises EngineError: BAD_SELECTION for an unknown outcome, one marked twice, or another order.
    """
    order = [outcome.code for outcome in condition.outcomes]
    if text in order:  # one mark, as most have
        return 1 << order.index(text)
    mask = 0
    for mark in text.split(MARK_SEPARATOR):
        bit = 1 << order.index(mark) if mark in order else 0
        if bit <= mask:  # unknown, marked twice, or before one already read
            expected = f"outcomes of condition {condition.code} in announced order, not {shown(text)}"
            raise EngineError("BAD_SELECTION", where, expected)
        mask |= bit
    return mask


def coupon_from_bits(terms: Terms, bits: str) -> Coupon:
    """Read a coupon from its stored bits.

    :raises EngineError: BAD_SELECTION for another length, another character, or a condition without a mark.
    """
    widths = [len(condition.outcomes) for condition in terms.conditions]
    if len(bits) != sum(widths) or set(bits) - {"0", "1"}:
        raise EngineError("BAD_SELECTION", "bits", f"{sum(widths)} characters 0 or 1")
    pieces = list(_pieces(bits, widths))
    marks = tuple([int(piece[::-1], 2) for piece in pieces])
    if not all(marks):
        raise EngineError("BAD_SELECTION", "bits", "a mark in every condition")
    texts = [_marks_text(condition, piece) for condition, piece in zip(terms.conditions, pieces, strict=True)]
    return Coupon(marks=marks, selections=CONDITION_SEPARATOR.join(texts), bits=bits)


def price_of(terms: Terms, coupon: Coupon) -> int | None:
    """Price a coupon in kopecks; None when the player chooses the stake (¶5, 24).

    :raises EngineError: TOO_MANY_LINES.
    """
    return price_of_lines(terms, coupon.lines)


def check_stake(terms: Terms, coupon: Coupon, stake: int) -> None:
    """Refuse a wrong stake: not the price, outside the limits, or not even over the lines (¶5, 24, D-10).

    :raises EngineError: BAD_STAKE, TOO_MANY_LINES.
    """
    check_stake_of_lines(terms, coupon.lines, stake)


def _pieces(bits: str, widths: list[int]) -> Iterator[str]:
    start = 0
    for width in widths:
        yield bits[start : start + width]
        start += width


def _marks_text(condition: Condition, piece: str) -> str:
    if piece.count("1") == 1:  # as most have
        return condition.outcomes[piece.index("1")].code
    marked = zip(condition.outcomes, piece, strict=True)
    return MARK_SEPARATOR.join([outcome.code for outcome, bit in marked if bit == "1"])


def _bits(terms: Terms, marks: tuple[int, ...]) -> str:
    number, width = 0, 0
    for condition, mask in zip(terms.conditions, marks, strict=True):
        number |= mask << width
        width += len(condition.outcomes)
    return f"{number:0{width}b}"[::-1]
