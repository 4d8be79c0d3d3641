"""Kinds of bets: all that have the same hits and misses, whatever the matches, are computed once.

Millions of lines are looked up here, so that the text of each condition's marks maps straight to a number, and the
sum of these numbers over a bet tells how many of its conditions have each pair (hits, misses): its signature.
"""

from collections.abc import Iterable, Sequence
from operator import getitem

from totalizator.engine.announced import Condition, Terms
from totalizator.engine.coupon import read_marks
from totalizator.engine.errors import EngineError
from totalizator.engine.matching import LevelLines, Matcher, Pair
from totalizator.engine.price import check_lines
from totalizator.engine.singles import Singles

# A condition of twenty outcomes has a million possible marks: past this many, they are read anew each time.
MOST_REMEMBERED = 20_000


class Kind:
    """What bets with one signature have in common."""

    __slots__ = ("levels", "lines", "lines_text", "place", "stake_text")

    def __init__(self, place: int, lines: int, levels: LevelLines, price: int | None) -> None:
        self.place = place if levels else 0
        """Its place among the kinds; 0 for all that are on no level."""
        self.lines = lines
        self.levels = levels
        self.lines_text = b"%d" % lines
        self.stake_text = b"" if price is None else b"%d" % (price * lines)


class Kinds:
    """The kinds met so far. Without a matcher (no result yet, or everything returned) none is on a level."""

    def __init__(self, terms: Terms, matcher: Matcher | None) -> None:
        self._terms = terms
        self._matcher = matcher
        self._width = len(terms.conditions).bit_length()
        self._pairs: list[Pair] = []
        self.nothing = Kind(0, 0, (), None)
        self.by_place = [self.nothing]
        self._tables: list[dict[bytes, int]] = [
            _Marks(self, place, condition) for place, condition in enumerate(terms.conditions)
        ]
        self._tables.append(_TooManyConditions())
        self._by_signature = _Signatures(self)
        self._singles = Singles(terms, self._hits)

    def of_all(self, selections: Sequence[bytes]) -> list[Kind]:
        """Tell the kind of each selections text.

        :raises EngineError: BAD_SELECTION, TOO_MANY_LINES; the caller knows the line.
        """
        width = self._singles.width
        widths = list(map(len, selections))
        if width not in widths:
            return self._of_any(selections)
        singles = [text for text in selections if len(text) == width]
        matches = self._singles.matches(singles)
        if matches is None:
            raise EngineError("BAD_SELECTION", "selections", "announced outcomes")
        by_matches = {count: self._of_single(count) for count in set(matches)}
        if len(singles) == len(selections):
            return [by_matches[count] for count in matches]
        others = iter(self._of_any([text for text in selections if len(text) != width]))
        counts = iter(matches)
        return [by_matches[next(counts)] if each == width else next(others) for each in widths]

    def _of_any(self, selections: Iterable[bytes]) -> list[Kind]:
        tables, by_signature = self._tables, self._by_signature
        return [by_signature[sum(map(getitem, tables, text.split(b";")))] for text in selections]

    def _of_single(self, matches: int) -> Kind:
        misses = len(self._terms.conditions) - matches
        return self._by_signature[self._unit((1, 0)) * matches + self._unit((0, 1)) * misses]

    def _hits(self, place: int, bit: int) -> bool:
        return self._matcher is not None and self._matcher.pair_of(place, 1 << bit) == (1, 0)

    def unit(self, place: int, mask: int) -> int:
        """Give the number that counts one condition with these marks in a signature."""
        return self._unit(self._matcher.pair_of(place, mask) if self._matcher else (0, mask.bit_count()))

    def _unit(self, pair: Pair) -> int:
        if pair not in self._pairs:
            self._pairs.append(pair)
        return 1 << self._width * self._pairs.index(pair)

    def learn(self, signature: int) -> Kind:
        """Compute the kind of a signature met for the first time.

        :raises EngineError: BAD_SELECTION, TOO_MANY_LINES.
        """
        pairs = self._pairs_in(signature)
        if len(pairs) != len(self._terms.conditions):
            raise EngineError("BAD_SELECTION", "selections", f"{len(self._terms.conditions)} conditions")
        lines = 1
        for hits, misses in pairs:
            lines *= hits + misses
            check_lines(self._terms, lines)
        levels = self._matcher.levels_of_pairs(pairs) if self._matcher else ()
        kind = Kind(len(self.by_place), lines, levels, self._terms.price.line)
        if levels:
            self.by_place.append(kind)
        return kind

    def _pairs_in(self, signature: int) -> list[Pair]:
        mask = (1 << self._width) - 1
        return [pair for slot, pair in enumerate(self._pairs) for _ in range(signature >> self._width * slot & mask)]


class _Marks(dict[bytes, int]):
    """Text of one condition's marks → its unit, learnt when first met."""

    def __init__(self, kinds: Kinds, place: int, condition: Condition) -> None:
        super().__init__()
        self._kinds, self._place, self._condition = kinds, place, condition

    def __missing__(self, text: bytes) -> int:
        try:
            mask = read_marks(self._condition, text.decode("utf-8"))
        except UnicodeDecodeError:
            raise EngineError("BAD_CSV", "selections", "text in UTF-8") from None
        unit = self._kinds.unit(self._place, mask)
        if len(self) < MOST_REMEMBERED:
            self[text] = unit
        return unit


class _TooManyConditions(dict[bytes, int]):
    """Stands after the last condition: whatever is looked up here is one too many."""

    def __missing__(self, text: bytes) -> int:
        raise EngineError("BAD_SELECTION", "selections", "no more conditions than announced")


class _Signatures(dict[int, Kind]):
    """Signature → kind, learnt when first met."""

    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, signature: int) -> Kind:
        self[signature] = kind = self._kinds.learn(signature)
        return kind
