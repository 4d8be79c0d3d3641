"""How many lines of a coupon match how many conditions: counted by a polynomial, never expanded (¶11.3, 36.2, D-10).

A marked condition with `hits` right and `misses` wrong outcomes is the factor `hits·x + misses`; the coefficient of
x^h in the product over the conditions is the number of single lines with exactly h matches.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from totalizator.engine.announced import Terms
from totalizator.engine.coupon import Coupon
from totalizator.engine.result import Result

Pair = tuple[int, int]
LevelLines = tuple[tuple[str, int], ...]


def lines_by_matches(pairs: Sequence[Pair]) -> tuple[int, ...]:
    """Count lines by matches: pairs are (hits, misses) per condition, index h of the answer is exactly h matches."""
    return _product(tuple(sorted(pairs)))


@lru_cache(maxsize=65_536)
def _product(pairs: tuple[Pair, ...]) -> tuple[int, ...]:
    counts = [1]
    for hits, misses in pairs:
        longer = [0, *(count * hits for count in counts)]
        for matches, count in enumerate(counts):
            longer[matches] += count * misses
        counts = longer
    return tuple(counts)


class Matcher:
    """The result of a pool, ready to be asked about coupons; of a pool returned in full nobody needs its answers."""

    def __init__(self, terms: Terms, result: Result) -> None:
        shrinks = terms.void_condition == "exclude"
        self.base = len(terms.conditions) - (len(result.void) if shrinks else 0)
        self._right = tuple(_right_mask(terms, result, place) for place in range(len(terms.conditions)))
        self._levels = tuple(level_of(terms, matches, self.base) for matches in range(self.base + 1))
        self._order = tuple(level.code for level in terms.levels)

    def pair_of(self, place: int, mask: int) -> Pair:
        """Tell (hits, misses) of the marks in the condition at `place`."""
        hits = (mask & self._right[place]).bit_count()
        return hits, mask.bit_count() - hits

    def levels_of_pairs(self, pairs: Sequence[Pair]) -> LevelLines:
        """Tell how many lines fall on each level, highest first; levels without a line are left out."""
        lines = dict.fromkeys(self._order, 0)
        for matches, count in enumerate(lines_by_matches(pairs)):
            level = self._levels[matches] if count else None
            if level is not None:
                lines[level] += count
        return tuple((level, count) for level, count in lines.items() if count)

    def levels_of(self, coupon: Coupon) -> LevelLines:
        """Tell how many lines of a coupon fall on each level, highest first."""
        return self.levels_of_pairs([self.pair_of(place, mask) for place, mask in enumerate(coupon.marks)])


def level_of(terms: Terms, matches: int, base: int) -> str | None:
    """Tell the one level of a line with so many matches, if it is on any (D-7); of nothing none is."""
    if not base:
        return None
    part = Fraction(matches, base)
    return next((level.code for level in terms.levels if level.least <= part <= level.most), None)


def _right_mask(terms: Terms, result: Result, place: int) -> int:
    """Give the right outcomes as bits: a void condition counts as matched by every mark, or matches nothing (D-9)."""
    condition = terms.conditions[place]
    if condition.code in result.void:
        return (1 << len(condition.outcomes)) - 1 if terms.void_condition == "all_match" else 0
    right = result.right[condition.code]
    return sum(1 << bit for bit, outcome in enumerate(condition.outcomes) if outcome.code in right)
