"""What was announced: the terms of a pool, frozen (¶8.2).

Money is in whole kopecks; times are text with six decimals; levels stand from the highest down.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

VARIANT_GAMES = ("sportloto-variant", "totolot-variant")
POSITION_GAMES = ("sportloto-position", "totolot-position")
GAMES = (*VARIANT_GAMES, *POSITION_GAMES, "custom")


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool's code (шифр пула) and its name by language."""

    code: str
    name: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One possible result of a condition."""

    code: str
    name: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """One of the equal parts of what is predicted, with its outcomes in announced order."""

    code: str
    name: Mapping[str, str]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Price:
    """What a bet costs: a fixed price of each line (¶5), or a free stake from `least` to `most` (¶24)."""

    line: int | None = None
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class DividendLimit:
    """A least or greatest dividend (with stakes: coefficient), and what happens beyond it (¶6)."""

    amount: Fraction
    beyond: str


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the fund for lines with `least <= matched/base <= most` (¶11.3, 36.2)."""

    code: str
    least: Fraction
    most: Fraction
    share: Fraction
    empty: str
    min_dividend: DividendLimit | None


@dataclass(frozen=True, slots=True)
class Rounding:
    """How dividends and winnings are cut (D-6): `mode` down or nearest, to `step`, `of` winning or coefficient."""

    mode: str = "down"
    step: Fraction = Fraction(1)
    of: str = "winning"


@dataclass(frozen=True, slots=True)
class JackpotDraw:
    """This pool draws the jackpot: that share of it joins that level's fund (¶18, 39)."""

    level: str
    share: Fraction


@dataclass(frozen=True, slots=True)
class Quorum:
    """Which keys may sign the result, and how many of them must."""

    members: tuple[str, ...]
    need: int


@dataclass(frozen=True, slots=True)
class Terms:
    """The announced terms, checked against themselves and against the law."""

    game: str
    pool: Pool
    opens_at: str
    closes_at: str
    rules_version: str
    price: Price
    max_lines: int
    conditions: tuple[Condition, ...]
    fund: Fraction
    levels: tuple[Level, ...]
    jackpot_share: Fraction
    divide_by: str
    rounding: Rounding
    max_dividend: DividendLimit | None
    guarantee: Mapping[str, int]
    monotone: bool
    void_condition: str
    min_valid_conditions: int
    min_turnover: int
    jackpot: JackpotDraw | None
    quorum: Quorum | None

    @property
    def top(self) -> Level:
        """The highest level: it takes what rounding leaves of the fund (D-15)."""
        return self.levels[0]

    @property
    def is_variant(self) -> bool:
        """Whether only a complete match wins (¶2, 22)."""
        return self.game in VARIANT_GAMES

    @property
    def by_lines(self) -> bool:
        """Whether a level is shared by winning lines (Sportloto) and not by winning stakes (Totolot)."""
        return self.divide_by == "lines"
