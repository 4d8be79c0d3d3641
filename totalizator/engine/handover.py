"""Levels without winners hand on their funds: step 6 of settling (¶11.4, 36, D-14)."""

from totalizator.engine.division import Division


def hand_over_empty(division: Division) -> None:
    """Move the whole fund of every level without winners, highest first, as its `empty` says.

    A receiver always has winners, so no fund is handed on twice.
    """
    for pot in division.pots:
        if not pot.winners:
            division.hand_on(pot, pot.level.empty, pot.held, "empty")
