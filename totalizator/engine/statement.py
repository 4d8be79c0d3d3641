"""The statement: where every kopeck of a pool went."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from totalizator.engine.announced import Rounding
from totalizator.engine.rounding import coefficient_shown, stake_winning


@dataclass(frozen=True, slots=True)
class Move:
    """Money that left a level: `to` a level's code, `jackpot` or `carried:CODE`.

    `why` is empty, minimum, maximum or monotone.
    """

    to: str
    amount: int
    why: str


@dataclass(frozen=True, slots=True)
class LevelStatement:
    """One level. Without winners its dividend and coefficient are None; below its minimum they are 0."""

    code: str
    rounding: Rounding
    fund: int = 0
    """All that reached the level = paid + remainder + moved."""
    lines: int = 0
    stakes: int = 0
    dividend: int | None = None
    """Kopecks per line; None with stakes."""
    coefficient: Fraction | None = None
    """As paid; None with lines."""
    paid: int | None = 0
    """None when it depends on bets that are not known."""
    remainder: int | None = 0
    moved: tuple[Move, ...] = ()
    live: bool = False
    """Whether it has winners and pays them (if only 0)."""

    def winning_of(self, lines: int, stake: int) -> int:
        """Tell what one bet wins here, in kopecks, from its winning lines and winning stake on this level (D-6)."""
        if not self.live:
            return 0
        if self.dividend is not None:
            return self.dividend * lines
        assert self.coefficient is not None
        return stake_winning(stake, self.coefficient, self.rounding)


@dataclass(frozen=True, slots=True)
class Statement:
    """One pool, in kopecks; levels from the highest down."""

    turnover: int
    refunds: int
    takeout: int
    fund: int
    added: int | None
    """The organizer's own money: guarantees, minimums, what rounding to the nearest overdrew."""
    jackpot_in: int
    jackpot_out: int | None
    winnings: int | None
    levels: tuple[LevelStatement, ...]
    carried_in: Mapping[str, int]
    carried: Mapping[str, int]
    """Level code → what goes on to the next pool; only what is not zero."""
    late: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    void: tuple[str, ...] = ()
    bets_digest: str | None = None
    returned: bool = False

    @property
    def balance(self) -> int | None:
        """What came in less what went out: always 0; None when a part is not known."""
        if self.added is None or self.winnings is None or self.jackpot_out is None:
            return None
        came = self.turnover + self.jackpot_in + sum(self.carried_in.values()) + self.added
        went = self.refunds + self.takeout + self.winnings + self.jackpot_out + sum(self.carried.values())
        return came - went


def statement_document(statement: Statement) -> dict[str, object]:
    """Write a statement as the document of statement.json."""
    return {
        "turnover": statement.turnover,
        "refunds": statement.refunds,
        "takeout": statement.takeout,
        "fund": statement.fund,
        "added": statement.added,
        "jackpot_in": statement.jackpot_in,
        "jackpot_out": statement.jackpot_out,
        "winnings": statement.winnings,
        "levels": [_level_document(level) for level in statement.levels],
        "carried": dict(statement.carried),
        "late": list(statement.late),
        "cancelled": list(statement.cancelled),
        "void": list(statement.void),
        "bets_digest": statement.bets_digest,
    }


def _level_document(level: LevelStatement) -> dict[str, object]:
    coefficient = level.coefficient
    return {
        "code": level.code,
        "fund": level.fund,
        "lines": level.lines,
        "stakes": level.stakes,
        "dividend": level.dividend,
        "coefficient": None if coefficient is None else str(coefficient),
        "coefficient_shown": None if coefficient is None else coefficient_shown(coefficient),
        "paid": level.paid,
        "remainder": level.remainder,
        "moved": [{"to": move.to, "amount": move.amount, "why": move.why} for move in level.moved],
    }
