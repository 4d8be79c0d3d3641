"""A fund while it is being divided: one pot per level, the jackpot, the carried sums, and every move between them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from totalizator.engine.announced import Level, Terms
from totalizator.engine.rounding import share_down
from totalizator.engine.tally import LevelTally, Tally

JACKPOT = "jackpot"


@dataclass(slots=True)
class LevelPot:
    """One level's money: what reached it, and what left it again."""

    level: Level
    tally: LevelTally
    winners: int
    """The winning lines or winning stakes that share the pot."""
    reached: int
    moved: dict[tuple[str, str], int] = field(default_factory=dict)
    """(where to, why) → amount."""
    added: int = 0
    """What of it is the organizer's own money."""
    dead: bool = False
    """Below its minimum: pays nothing."""

    @property
    def live(self) -> bool:
        """Whether the level has winners and pays them."""
        return self.winners > 0 and not self.dead

    @property
    def held(self) -> int:
        """What is in the pot now."""
        return self.reached - sum(self.moved.values())


class Division:
    """The pots from the highest level down; the only place where money moves between them."""

    def __init__(self, terms: Terms, tally: Tally, funds: dict[str, int]) -> None:
        self.terms = terms
        self.jackpot = 0
        self.added = 0
        self.carried: dict[str, int] = {}
        self.pots = [_pot(terms, level, tally.levels[level.code], funds[level.code]) for level in terms.levels]

    def live(self) -> Iterator[LevelPot]:
        """Go through the live pots from the highest down."""
        return (pot for pot in self.pots if pot.live)

    def next_lower(self, pot: LevelPot) -> LevelPot | None:
        """Find the nearest live pot strictly below."""
        below = self.pots[self.pots.index(pot) + 1 :]
        return next((lower for lower in below if lower.live), None)

    def next_higher(self, pot: LevelPot) -> LevelPot | None:
        """Find the nearest live pot strictly above."""
        above = self.pots[: self.pots.index(pot)]
        return next((higher for higher in reversed(above) if higher.live), None)

    def top_up(self, pot: LevelPot, fund: int) -> None:
        """Raise a pot to a sum with the organizer's own money."""
        missing = max(0, fund - pot.held)
        pot.reached += missing
        pot.added += missing
        self.added += missing

    def take_back(self, pot: LevelPot, excess: int) -> int:
        """Give the organizer back what was added to a pot of an amount that leaves it; return the rest of the amount.

        A guarantee is for the winners of its level: it never goes on to the jackpot, a level or the next pool (J4).
        """
        back = min(excess, pot.added)
        pot.reached -= back
        pot.added -= back
        self.added -= back
        return excess - back

    def hand_on(self, pot: LevelPot, way: str, amount: int, why: str) -> None:
        """Move an amount out of a pot by one of the announced ways; where nobody can take it, to the jackpot."""
        if way == "next_lower":
            self.move(pot, self.next_lower(pot), amount, why)
        elif way == "next_higher":
            self.move(pot, self.next_higher(pot), amount, why)
        elif way == "other_levels":
            self._spread(pot, amount, why)
        elif way == "carry_same":
            self._carry(pot, pot.level.code, amount, why)
        elif way == "carry_top":
            self._carry(pot, self.terms.top.code, amount, why)
        else:
            self.move(pot, None, amount, why)

    def move(self, pot: LevelPot, receiver: LevelPot | None, amount: int, why: str) -> None:
        """Move an amount from a pot to another, or to the jackpot when there is none."""
        if receiver is None:
            self.jackpot += amount
        else:
            receiver.reached += amount
        _write_move(pot, JACKPOT if receiver is None else receiver.level.code, amount, why)

    def _carry(self, pot: LevelPot, level_code: str, amount: int, why: str) -> None:
        self.carried[level_code] = self.carried.get(level_code, 0) + amount
        _write_move(pot, f"carried:{level_code}", amount, why)

    def _spread(self, pot: LevelPot, amount: int, why: str) -> None:
        """Share an amount among the other live levels by their shares; the highest takes the rest (D-14)."""
        others = [other for other in self.live() if other is not pot]
        if not others:
            self.move(pot, None, amount, why)
            return
        shares = sum(other.level.share for other in others)
        parts = [share_down(amount, Fraction(other.level.share, shares)) if shares else 0 for other in others]
        parts[0] += amount - sum(parts)
        for other, part in zip(others, parts, strict=True):
            self.move(pot, other, part, why)


def _pot(terms: Terms, level: Level, tally: LevelTally, fund: int) -> LevelPot:
    winners = tally.lines if terms.by_lines else tally.stakes
    return LevelPot(level=level, tally=tally, winners=winners, reached=fund)


def _write_move(pot: LevelPot, to: str, amount: int, why: str) -> None:
    if amount:
        pot.moved[to, why] = pot.moved.get((to, why), 0) + amount
