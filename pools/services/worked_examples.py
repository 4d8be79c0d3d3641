"""Two small pools, divided by the engine that divides the real ones: what the page on how it works reckons with.

Nothing of them is stored or sold. Their coupons are chosen so that there is a level that nobody reaches, and a kopeck
that rounding leaves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from totalizator.engine.coupon import check_stake, read_selections
from totalizator.engine.dividends import divide
from totalizator.engine.matching import LevelLines, Matcher
from totalizator.engine.result import Result
from totalizator.engine.statement import Statement
from totalizator.engine.tally import LevelTally, Tally
from totalizator.engine.terms import Terms, parse_terms

LINE = 100
POSITION_RIGHT = ("1", "X", "2")
POSITION_COUPONS = (
    ("1;X;1", 100), ("1;1+X;1", 200), ("1;2;1", 100), ("2;2;2", 100), ("X;1;1", 100), ("1+X;2;1+2", 400),
)  # fmt: skip
VARIANT_RIGHT = ("X",)
VARIANT_COUPONS = (("1", 1_000), ("X", 400), ("X", 300), ("2", 1_300))
SYSTEM_COUPON = "1;1+X;1+X+2"

_SHARED: Mapping[str, Any] = {
    "format": 1,
    "opens_at": "2026-01-01T09:00:00Z",
    "closes_at": "2026-01-02T09:00:00Z",
    "rules_version": f"sha256:{'0' * 64}",
    "empty_level": "jackpot",
}


@dataclass(frozen=True, slots=True)
class ExampleCoupon:
    """A coupon of an example: its lines, its stake, its winning lines and its winning, in kopecks."""

    selections: str
    lines: int
    stake: int
    winning_lines: int
    won: int


@dataclass(frozen=True, slots=True)
class Example:
    """A pool reckoned through: what came in is what goes to players, to the jackpot and to the organizer."""

    terms: Terms
    right: tuple[str, ...]
    coupons: tuple[ExampleCoupon, ...]
    statement: Statement

    @property
    def lines(self) -> int:
        """All the lines that were bet."""
        return sum(coupon.lines for coupon in self.coupons)


@cache
def position_example() -> Example:
    """Reckon a Sportloto-Position on three matches, whose highest level nobody reaches."""
    levels = [
        {"code": "3", "from": "1", "to": "1", "share": "3/5"},
        {"code": "2", "from": "2/3", "to": "2/3", "share": "2/5"},
    ]
    terms = _terms("sportloto-position", 3, {"price": {"line": LINE}, "fund": "7/10", "divide_by": "lines"}, levels)
    return _reckoned(terms, POSITION_RIGHT, POSITION_COUPONS)


@cache
def variant_example() -> Example:
    """Reckon a Totolot-Variant on one match, whose fund is shared in proportion to the winning stakes."""
    own = {"price": {"min": 100, "max": 1_000_000}, "fund": "3/5", "divide_by": "stakes"}
    terms = _terms("totolot-variant", 1, own, [{"code": "1", "from": "1", "to": "1", "share": "1"}])
    return _reckoned(terms, VARIANT_RIGHT, VARIANT_COUPONS)


@cache
def system_lines() -> tuple[tuple[str, ...], int]:
    """Return the marks of a system coupon, match by match, and the lines that the engine makes of them."""
    coupon = read_selections(position_example().terms, SYSTEM_COUPON)
    return tuple(part.replace("+", " ") for part in coupon.selections.split(";")), coupon.lines


def _terms(game: str, matches: int, own: Mapping[str, Any], levels: Sequence[Mapping[str, str]]) -> Terms:
    conditions = [
        {
            "code": str(number),
            "name": {"en": str(number)},
            "outcomes": [{"code": code} for code in ("1", "X", "2")],
        }
        for number in range(1, matches + 1)
    ]
    named = {"pool": {"code": "example", "name": {"en": "example"}}, "conditions": conditions, "levels": levels}
    return parse_terms({**_SHARED, "game": game, **named, **own})


def _reckoned(terms: Terms, right: Sequence[str], bets: Sequence[tuple[str, int]]) -> Example:
    """Count the bets on each level, divide the fund, and tell what each bet wins."""
    outcomes = zip(terms.conditions, right, strict=True)
    result = Result(
        {condition.code: frozenset({code}) for condition, code in outcomes},
        frozenset(), event_void=False, first_started_at=None, signatures=(),
    )  # fmt: skip
    matcher = Matcher(terms, result)
    placed = []
    for selections, stake in bets:
        coupon = read_selections(terms, selections)
        check_stake(terms, coupon, stake)
        placed.append((coupon, stake, matcher.levels_of(coupon)))
    levels = {
        level.code: _on_level(level.code, [(levels, stake // coupon.lines) for coupon, stake, levels in placed])
        for level in terms.levels
    }
    lines = sum(coupon.lines for coupon, _stake, _levels in placed)
    statement = divide(terms, Tally(sum(stake for _coupon, stake, _levels in placed), lines, levels))
    paying = {level.code: level for level in statement.levels}
    coupons = tuple(
        ExampleCoupon(
            coupon.selections,
            coupon.lines,
            stake,
            sum(count for _level, count in won),
            sum(paying[level].winning_of(count, count * stake // coupon.lines) for level, count in won),
        )
        for coupon, stake, won in placed
    )
    return Example(terms, tuple(right), coupons, statement)


def _on_level(code: str, bets: Sequence[tuple[LevelLines, int]]) -> LevelTally:
    """Add up what stands on a level; of each bet its lines by level and the stake of one line."""
    lines, stakes = 0, dict[int, int]()
    for by_level, line_stake in bets:
        count = dict(by_level).get(code, 0)
        if count:
            lines += count
            stakes[count * line_stake] = stakes.get(count * line_stake, 0) + 1
    return LevelTally(lines, sum(stake * times for stake, times in stakes.items()), stakes)
