"""What the players of the demonstration choose: by the odds, and the same for the same seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from random import Random

from payouts.management.demo.matches import SIGNS, Match
from payouts.management.demo.terms import PlannedPool

SYSTEM_SHARE = 20  # every twentieth bet, on average, is a system coupon
CASH_SHARE = 2  # every second bet is paid in cash
MOST_DOUBLES = 5
MOST_IN_CASH = 99_999  # kopecks: for more a document must be shown, and these players have accounts
LINE_STAKES = (100, 200, 200, 500, 500, 1000, 2000)  # kopecks a line, where the player chooses


@dataclass(frozen=True, slots=True)
class ChosenBet:
    """A bet as its player makes it."""

    number: int
    """From 0 within the pool."""
    selections: str
    stake: int
    in_cash: bool
    chance: int
    """Decides which of the tills sells it, or which of the players makes it."""


def choose_bets(pool: PlannedPool, count: int, seed: int) -> Iterator[ChosenBet]:
    """Yield `count` bets on the pool; asking again with the same seed yields the same ones."""
    # Chance for a story, not for secrets: it must be repeatable.
    chance = Random(f"{seed}/{pool.document['game']}/{len(pool.matches)}/{pool.matches[0].played_on}")  # noqa: S311
    scales = [tuple(accumulate(match.weights)) for match in pool.matches]
    for number in range(count):
        marks = [chance.choices(SIGNS, cum_weights=scale) for scale in scales]
        if chance.randrange(SYSTEM_SHARE) == 0:
            _widen(marks, pool.matches, chance)
        lines = prod(len(signs) for signs in marks)
        stake = lines * (pool.line_price or chance.choice(LINE_STAKES))
        in_cash = chance.randrange(CASH_SHARE) == 0 and stake <= MOST_IN_CASH
        yield ChosenBet(number, _selections(marks), stake, in_cash, chance.randrange(1 << 30))


def full_cover(pool: PlannedPool, number: int) -> ChosenBet:
    """Return the coupon with every outcome marked: what a club of players buys when the jackpot is large."""
    marks = [list(SIGNS) for _ in pool.matches]
    lines = prod(len(signs) for signs in marks)
    return ChosenBet(number, _selections(marks), lines * (pool.line_price or LINE_STAKES[0]), in_cash=False, chance=0)


def _widen(marks: list[list[str]], matches: tuple[Match, ...], chance: Random) -> None:
    """Mark a second sign, now and then all three, in some of the matches (D-10)."""
    count = chance.randint(1, min(MOST_DOUBLES, len(matches)))
    for place in chance.sample(range(len(matches)), count):
        others = [sign for sign in SIGNS if sign not in marks[place]]
        marks[place] += others if chance.randrange(5) == 0 else [chance.choice(others)]


def _selections(marks: list[list[str]]) -> str:
    return ";".join("+".join(sorted(signs, key=SIGNS.index)) for signs in marks)
