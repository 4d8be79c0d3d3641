"""A coupon beside what is known of the result: each mark right, wrong, or still open (O2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from totalizator.engine.coupon import Coupon
from totalizator.engine.result import VOID
from totalizator.engine.terms import Condition, Outcome, Terms


class Fate(StrEnum):
    """What became of a condition for a coupon."""

    HIT = "hit"
    MISSED = "missed"
    VOID = "void"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Mark:
    """An outcome of a condition: whether the coupon marks it, and whether it is right."""

    outcome: Outcome
    marked: bool
    right: bool


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A condition with its outcomes, and what became of it."""

    number: int
    condition: Condition
    marks: tuple[Mark, ...]
    fate: Fate


def judged_rows(terms: Terms, coupon: Coupon | None, told: Mapping[str, str | Sequence[str]]) -> tuple[JudgedRow, ...]:
    """Lay a coupon beside what is told of each condition; without a coupon nothing is marked."""
    masks = coupon.marks if coupon is not None else (0,) * len(terms.conditions)
    return tuple(
        _row(number, condition, mask, told.get(condition.code))
        for number, (condition, mask) in enumerate(zip(terms.conditions, masks, strict=True), 1)
    )


def _row(number: int, condition: Condition, mask: int, told: str | Sequence[str] | None) -> JudgedRow:
    right = () if told is None or told == VOID else tuple(told)
    marks = tuple(
        Mark(outcome, bool(mask >> place & 1), outcome.code in right)
        for place, outcome in enumerate(condition.outcomes)
    )
    if told is None:
        fate = Fate.OPEN
    elif told == VOID:
        fate = Fate.VOID
    else:
        fate = Fate.HIT if any(mark.marked and mark.right for mark in marks) else Fate.MISSED
    return JudgedRow(number, condition, marks, fate)
