"""The result of a pool as masks over the bets' bits: what PostgreSQL compares every bet with (D-8, D-9)."""

from collections.abc import Iterator
from dataclasses import dataclass

from totalizator.engine.result import Result
from totalizator.engine.terms import Condition, Terms


@dataclass(frozen=True, slots=True)
class ResultBits:
    """Masks as wide as a bet's `bits`: '0' and '1', the first condition's first outcome leftmost."""

    right: str
    """Every right outcome of every condition."""
    right_of: tuple[str, ...]
    """Per condition, its right outcomes alone."""
    wrong_of: tuple[str, ...]
    """Per condition, its other outcomes alone."""


def result_bits(terms: Terms, result: Result) -> ResultBits:
    """Write the result as masks; a void condition counts as right in all, or in none, of its outcomes (D-9)."""
    pieces = ["".join(_right_of(terms, result, condition)) for condition in terms.conditions]
    width = sum(map(len, pieces))
    right_of, wrong_of, start = [], [], 0
    for piece in pieces:
        turned = piece.translate(str.maketrans("01", "10"))
        right_of.append(("0" * start + piece).ljust(width, "0"))
        wrong_of.append(("0" * start + turned).ljust(width, "0"))
        start += len(piece)
    return ResultBits("".join(pieces), tuple(right_of), tuple(wrong_of))


def _right_of(terms: Terms, result: Result, condition: Condition) -> Iterator[str]:
    """Yield '1' for each outcome that counts as right, in announced order, and '0' for the others."""
    all_match = terms.void_condition == "all_match"
    for outcome in condition.outcomes:
        if condition.code in result.void:
            yield "1" if all_match else "0"
        else:
            yield "1" if outcome.code in result.right[condition.code] else "0"
