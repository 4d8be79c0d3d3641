"""What each pot pays and what is left of it: step 10 of settling (¶11.2-11.3, 36, D-6)."""

from dataclasses import dataclass
from fractions import Fraction

from totalizator.engine.announced import Terms
from totalizator.engine.division import LevelPot
from totalizator.engine.limits import dividend_of
from totalizator.engine.rounding import stake_winning
from totalizator.engine.statement import LevelStatement, Move


@dataclass(frozen=True, slots=True)
class ClosedLevel:
    """A level's statement, and what rounding to the nearest paid beyond its pot (None when not known)."""

    statement: LevelStatement
    overdrawn: int | None


def close_pot(terms: Terms, pot: LevelPot) -> ClosedLevel:
    """Close one pot: what is left of it after the winnings is its remainder."""
    dividend = _dividend(terms, pot)
    paid = _paid(terms, pot, dividend)
    left = None if paid is None else pot.held - paid
    overdrawn = _overdrawn(terms, left)
    statement = LevelStatement(
        code=pot.level.code,
        fund=pot.reached + (overdrawn or 0),
        lines=pot.tally.lines,
        stakes=pot.tally.stakes,
        dividend=int(dividend) if terms.by_lines and dividend is not None else None,
        coefficient=None if terms.by_lines else dividend,
        paid=paid,
        remainder=None if left is None else max(0, left),
        moved=tuple(Move(to=to, amount=amount, why=why) for (to, why), amount in pot.moved.items()),
        live=pot.live,
        rounding=terms.rounding,
    )
    return ClosedLevel(statement, overdrawn)


def _dividend(terms: Terms, pot: LevelPot) -> Fraction | None:
    """None without winners, 0 when dead, else the rounded dividend (coefficient)."""
    if pot.live:
        return dividend_of(terms, pot)
    return Fraction(0) if pot.dead else None


def _paid(terms: Terms, pot: LevelPot, dividend: Fraction | None) -> int | None:
    """Add up the winnings; None when they depend on each bet's stake and the bets are not known."""
    if not dividend:
        return 0
    if terms.by_lines or (terms.rounding.of == "coefficient" and dividend.denominator == 1):
        return int(dividend * pot.winners)
    if pot.tally.bets is None:
        return None
    return sum(count * stake_winning(stake, dividend, terms.rounding) for stake, count in pot.tally.bets.items())


def _overdrawn(terms: Terms, left: int | None) -> int | None:
    if terms.rounding.mode == "down":
        return 0
    return None if left is None else max(0, -left)
