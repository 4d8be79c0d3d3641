"""A higher level never pays less than a lower one, where that was announced: step 7 of settling."""

from totalizator.engine.division import Division, LevelPot
from totalizator.engine.rounding import portion_down


def raise_higher(division: Division) -> None:
    """Move the surplus of lower levels up while a live level would pay less than the next lower live one.

    Two such levels are joined: the lower keeps its part by lines (stakes) of the joined fund, rounded down, the
    higher takes the rest. The highest such pair comes first; every move lifts at least a kopeck, so it ends.
    """
    while pair := _first_upside_down(division):
        higher, lower = pair
        joined = higher.held + lower.held
        keeps = portion_down(joined, lower.winners, higher.winners + lower.winners)
        division.move(lower, higher, lower.held - keeps, "monotone")


def _first_upside_down(division: Division) -> tuple[LevelPot, LevelPot] | None:
    """Find the highest live pair that pays the higher level less, compared exactly (crosswise, without dividing)."""
    for higher in division.live():
        lower = division.next_lower(higher)
        if lower is not None and higher.held * lower.winners < lower.held * higher.winners:
            return higher, lower
    return None
