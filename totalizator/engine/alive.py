"""What can still become of a coupon while only a part of the result is known (O2).

A condition that is open is one that every mark has missed so far. A line with m matches can still end with any number
of them from m to m + u, where u conditions are open: each may turn out as it was marked, or not. So the polynomial of
the matches so far tells all, and no line is expanded here either. That an open condition may yet not take place is left
aside: when it is known to be void, it is known.
"""

from collections.abc import Mapping, Sequence

from totalizator.engine.announced import Terms
from totalizator.engine.coupon import Coupon
from totalizator.engine.matching import LevelLines, Matcher, Pair, level_of, lines_by_matches
from totalizator.engine.result import VOID, Result

Told = Mapping[str, str | Sequence[str]]


def part_of_result(terms: Terms, told: Told, first_started_at: str | None = None) -> Result:
    """Make a result of what is told of some conditions: their right outcomes, or `void`; the others are open.

    An open condition has no right outcome, which no signed result allows.
    """
    void = frozenset(code for code, outcomes in told.items() if outcomes == VOID)
    right = {
        condition.code: frozenset(told.get(condition.code, ()))
        for condition in terms.conditions
        if condition.code not in void
    }
    return Result(right, void, event_void=False, first_started_at=first_started_at, signatures=())


class Outlook:
    """A part of a result, ready to be asked what coupons can still reach. It is for pools that are not returned."""

    def __init__(self, terms: Terms, part: Result) -> None:
        self.so_far = Matcher(terms, part)
        """Tells on which level a line would be if all that is open were missed."""
        self.open = sum(not outcomes for outcomes in part.right.values())
        base = self.so_far.base
        levels = [level_of(terms, matches, base) for matches in range(base + 1)]
        self.matches_on = {
            level.code: tuple(matches for matches, on in enumerate(levels) if on == level.code)
            for level in terms.levels
        }
        """Level → the numbers of matches that are on it, over all that took or may take place."""
        self.reached_from = tuple(
            frozenset(code for code in levels[matches : matches + self.open + 1] if code is not None)
            for matches in range(base - self.open + 1)
        )
        """By matches so far: the levels that such a line can still reach."""

    def levels_of_pairs(self, pairs: Sequence[Pair]) -> LevelLines:
        """Tell how many lines can still reach each level, highest first; a line counts on every level it can reach."""
        lines = dict.fromkeys(self.matches_on, 0)
        for matches, count in enumerate(lines_by_matches(pairs)):
            if count:
                for level in self.reached_from[matches]:
                    lines[level] += count
        return tuple((level, count) for level, count in lines.items() if count)

    def levels_of(self, coupon: Coupon) -> LevelLines:
        """Tell how many lines of a coupon can still reach each level, highest first."""
        return self.levels_of_pairs([self.so_far.pair_of(place, mask) for place, mask in enumerate(coupon.marks)])
