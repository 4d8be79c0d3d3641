"""Least and greatest dividend: steps 8 and 9 of settling (¶6, D-1). With stakes a dividend is the coefficient."""

from fractions import Fraction

from totalizator.engine.announced import DividendLimit, Terms
from totalizator.engine.division import Division, LevelPot
from totalizator.engine.rounding import cost_up, line_dividend, paid_coefficient


def dividend_of(terms: Terms, pot: LevelPot) -> Fraction:
    """Tell the rounded dividend (coefficient) that a live pot would pay now."""
    if terms.by_lines:
        return Fraction(line_dividend(pot.held, pot.winners, terms.rounding))
    return paid_coefficient(pot.held, pot.winners, terms.rounding)


def apply_minimum(division: Division) -> None:
    """Bring every live level to its minimum or let it pay nothing, lowest first.

    `top_up` raises the fund with the organizer's own money. Else the level is dead and its fund moves; as that can
    lift another level over its minimum, the check starts again from the lowest.
    """
    while (pot := _first_dead(division)) is not None:
        limit = pot.level.min_dividend
        assert limit is not None
        pot.dead = True
        division.hand_on(pot, limit.beyond, division.take_back(pot, pot.held), "minimum")


def _first_dead(division: Division) -> LevelPot | None:
    """Go up from the lowest live level, topping up, to the first one that must die."""
    for pot in reversed(list(division.live())):
        limit = pot.level.min_dividend
        if limit is None or dividend_of(division.terms, pot) >= limit.amount:
            continue
        if limit.beyond != "top_up":
            return pot
        division.top_up(pot, cost_up(limit.amount, pot.winners))
    return None


def apply_maximum(division: Division) -> None:
    """Cut every live level to the greatest dividend, highest first; the excess moves as announced."""
    limit = division.terms.max_dividend
    if limit is not None:
        for pot in list(division.live()):
            _cut(division, pot, limit)


def _cut(division: Division, pot: LevelPot, limit: DividendLimit) -> None:
    if dividend_of(division.terms, pot) > limit.amount:
        excess = pot.held - cost_up(limit.amount, pot.winners)
        division.hand_on(pot, limit.beyond, division.take_back(pot, max(0, excess)), "maximum")
