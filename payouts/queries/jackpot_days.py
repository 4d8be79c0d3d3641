"""A jackpot's whole history day by day, each kind of move by itself: what a chart is drawn of (J1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise

from accounts.ledger.kinds import TransferKind
from payouts.queries.jackpot import JackpotMove, jackpot_history
from totalizator.engine.deadlines import legal_day


class HistoryBroken(Exception):
    """A day does not open with what the one before closed with, or does not add up: the books are wrong."""


@dataclass(frozen=True, slots=True)
class JackpotDay:
    """What happened to a jackpot on one legal day, in kopecks, by kind of transfer; all sums above zero."""

    day: date
    opening: int
    came_in: Mapping[TransferKind, int]
    went_out: Mapping[TransferKind, int]
    closing: int

    @property
    def was_drawn(self) -> bool:
        """Whether a pool drew it on this day."""
        return TransferKind.JACKPOT_DRAWN in self.went_out


def jackpot_days(game: str) -> Sequence[JackpotDay]:
    """Return the days on which anything moved, from the first of all: opening + came in - went out = closing.

    :raises HistoryBroken: when that does not hold, or a day does not open with what the one before closed with.
    """
    return days_of(game, jackpot_history(game))


def days_of(game: str, moves: Sequence[JackpotMove]) -> Sequence[JackpotDay]:
    """Return the days of a jackpot's whole history, from its moves; :raises HistoryBroken: as `jackpot_days`."""
    by_day = groupby(moves, key=lambda move: legal_day(move.at))
    days = [_summed(day, list(moved)) for day, moved in by_day]
    for before, after in pairwise(days):
        if after.opening != before.closing:
            raise HistoryBroken(f"{game}: {before.day} closes with {before.closing}, {after.day} opens with another")
    return days


def _summed(day: date, moves: Sequence[JackpotMove]) -> JackpotDay:
    summed = JackpotDay(day, moves[0].opening, _sums(moves, 1), _sums(moves, -1), moves[-1].closing)
    if summed.opening + sum(summed.came_in.values()) - sum(summed.went_out.values()) != summed.closing:
        raise HistoryBroken(f"{day}: {summed.opening} and what moved do not make {summed.closing}")
    return summed


def _sums(moves: Iterable[JackpotMove], sign: int) -> Mapping[TransferKind, int]:
    """Sum what came in (1) or went out (-1), by kind in the order of their names."""
    sums: dict[str, int] = {}
    for move in moves:
        for kind, amount in move.parts.items():
            if amount * sign > 0:
                sums[kind] = sums.get(kind, 0) + amount * sign
    return {TransferKind(kind): sums[kind] for kind in sorted(sums)}
