"""A higher level never pays less than a lower one, where that was announced: step 7 of settling."""

from itertools import pairwise

from totalizator.engine.division import Division, LevelPot
from totalizator.engine.rounding import portion_down


def raise_higher(division: Division) -> None:
    """Move the surplus of lower levels up while a live level would pay less than the next lower live one.

    Neighbours are looked at from the highest pair to the lowest, again and again until all are in order: every move
    lifts at least a kopeck, so that comes. Where to begin does not change the end, but to start from the top after
    every move takes time without end with many levels: each pair would settle all those above it once more.
    """
    neighbours = list(pairwise(division.live()))
    moved = True
    while moved:
        moved = False
        for higher, lower in neighbours:
            if _is_upside_down(higher, lower):
                _join(division, higher, lower)
                moved = True


def _is_upside_down(higher: LevelPot, lower: LevelPot) -> bool:
    """Compare per line (stake) exactly: crosswise, without dividing."""
    return higher.held * lower.winners < lower.held * higher.winners


def _join(division: Division, higher: LevelPot, lower: LevelPot) -> None:
    """Leave the lower its part by lines (stakes) of the joined fund, rounded down; the higher takes the rest."""
    joined = higher.held + lower.held
    keeps = portion_down(joined, lower.winners, higher.winners + lower.winners)
    division.move(lower, higher, lower.held - keeps, "monotone")
