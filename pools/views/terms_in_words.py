"""Announced terms as a player reads them: what wins, what it shares, what happens when something does not happen."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from totalizator.core.money import format_byn
from totalizator.engine.terms import DividendLimit, Level, Terms

EMPTY_LEVEL: Mapping[str, str | Promise] = {
    "jackpot": _("its fund goes to the jackpot"),
    "other_levels": _("its fund is shared among the other levels with winners, in proportion to their shares"),
    "next_lower": _("its fund goes to the nearest lower level with winners"),
    "next_higher": _("its fund goes to the nearest higher level with winners"),
    "carry_same": _("its fund goes to the same level of the next pool"),
    "carry_top": _("its fund goes to the highest level of the next pool"),
}

VOID_CONDITION: Mapping[str, str | Promise] = {
    "refund": _("the whole pool is returned: every stake goes back in full (¶32)."),
    "all_match": _("every outcome of it counts as right (D-9)."),
    "exclude": _("it is left out, and shares of matches are counted over the remaining conditions (D-9)."),
}


@dataclass(frozen=True, slots=True)
class LevelInWords:
    """One level: which numbers of matches win on it, its share of the fund, what an empty one does.

    `guarantee` is in kopecks; 0: there is none.
    """

    code: str
    matches: str
    reachable: bool
    share: Fraction
    empty: str | Promise
    minimum: str
    guarantee: int


@dataclass(frozen=True, slots=True)
class BaseInWords:
    """What can be won when only `base` conditions took place: level code and numbers of matches, none if none."""

    base: int
    levels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TermsInWords:
    """All of it, for the pool page and for the organizer's preview of a draft."""

    terms: Terms
    levels: tuple[LevelInWords, ...]
    void_policy: str | Promise
    bases: tuple[BaseInWords, ...]
    maximum: str

    @property
    def empty_of_all(self) -> str | Promise:
        """What an empty level does, when it is the same on every level; else nothing."""
        words = {str(level.empty): level.empty for level in self.levels}
        return next(iter(words.values())) if len(words) == 1 else ""

    @property
    def unreachable(self) -> tuple[str, ...]:
        """Codes of levels that no ticket can ever reach: a bound that lies between two counts (C11)."""
        return tuple(level.code for level in self.levels if not level.reachable)

    @property
    def loses_levels(self) -> bool:
        """Whether a void condition can make a level unreachable (D-9)."""
        return any(not matches for base in self.bases for _code, matches in base.levels)


def in_words(terms: Terms) -> TermsInWords:
    """Put terms into words, level by level."""
    base = len(terms.conditions)
    refunded = terms.is_variant or terms.void_condition == "refund"
    return TermsInWords(
        terms=terms,
        levels=tuple(_level(level, base, terms.guarantee.get(level.code, 0)) for level in terms.levels),
        void_policy=VOID_CONDITION["refund" if refunded else terms.void_condition],
        bases=() if refunded or terms.void_condition != "exclude" else _bases(terms),
        maximum=_limit(terms.max_dividend, terms),
    )


def _level(level: Level, base: int, guarantee: int) -> LevelInWords:
    matches = _matches(level, base)
    return LevelInWords(
        code=level.code,
        matches=matches,
        reachable=bool(matches),
        share=level.share,
        empty=EMPTY_LEVEL[level.empty],
        minimum=_limit(level.min_dividend, None),
        guarantee=guarantee,
    )


def _bases(terms: Terms) -> tuple[BaseInWords, ...]:
    least = max(1, terms.min_valid_conditions)
    bases = range(len(terms.conditions) - 1, least - 1, -1)
    return tuple(
        BaseInWords(base, tuple((level.code, _matches(level, base)) for level in terms.levels)) for base in bases
    )


def _matches(level: Level, base: int) -> str:
    """Say which numbers of matches out of `base` fall on a level: `13`, `8–9`, or nothing."""
    hits = [count for count in range(base + 1) if level.least * base <= count <= level.most * base]
    if not hits:
        return ""
    return str(hits[0]) if len(hits) == 1 else f"{hits[0]}–{hits[-1]}"


def _limit(limit: DividendLimit | None, terms: Terms | None) -> str:
    if limit is None or limit.amount.denominator != 1 or (terms is not None and not terms.by_lines):
        return "" if limit is None else str(limit.amount)
    return format_byn(limit.amount.numerator)
