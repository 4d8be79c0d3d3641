"""Single lines of one-letter outcomes (1, X, 2), the bulk of every football pool: matched a whole column at a time.

In such a text every mark has its place, so one condition of thousands of bets is every so-many-th byte of their joined
texts. Turned into 1 (hit) and 0 (miss) and read as one long integer, the columns add up, byte by byte, to the matches.
"""

from collections.abc import Callable, Sequence

from totalizator.engine.announced import Condition, Terms

MOST_CONDITIONS = 255  # more matches do not fit a byte


class Singles:
    """The single lines of one pool; `hits` tells whether an outcome of a condition, by their places, is right."""

    def __init__(self, terms: Terms, hits: Callable[[int, int], bool]) -> None:
        conditions = terms.conditions
        one_letter = all(len(outcome.code.encode()) == 1 for each in conditions for outcome in each.outcomes)
        self.width = 2 * len(conditions) - 1 if one_letter and len(conditions) <= MOST_CONDITIONS else 0
        """The length of a single line's text, and of no other right text; 0 when outcomes have longer codes."""
        if self.width:
            self._letters = [_letters(condition) for condition in conditions]
            right = [
                bytes(hits(place, bit) for bit in range(len(letters))) for place, letters in enumerate(self._letters)
            ]
            self._to_hits = [
                bytes.maketrans(*each) if any(each[1]) else None for each in zip(self._letters, right, strict=True)
            ]
            """None where no outcome is right, as before there is a result."""

    def matches(self, texts: Sequence[bytes]) -> bytes | None:
        """Count the matches of each text of the right width; None when one of them is no selection."""
        joined = b"".join(texts)
        total = 0
        for place, letters in enumerate(self._letters):
            column = joined[2 * place :: self.width]
            if column.translate(None, letters):
                return None
            to_hits = self._to_hits[place]
            if to_hits is not None:
                total += int.from_bytes(column.translate(to_hits), "big")
        for place in range(1, self.width, 2):
            if joined[place :: self.width].strip(b";"):
                return None
        return total.to_bytes(len(texts), "big")


def _letters(condition: Condition) -> bytes:
    return b"".join(outcome.code.encode() for outcome in condition.outcomes)
