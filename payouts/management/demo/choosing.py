"""What the players of the demonstration choose: by the odds, and the same for the same seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import prod
from random import Random

from payouts.management.demo.matches import SIGNS, Match
from payouts.management.demo.terms import PlannedPool

SYSTEM_SHARE = 20  # every twentieth bet, on average, is a system coupon
MOST_DOUBLES = 5
MOST_IN_CASH = 99_999  # kopecks: for more a document must be shown, and these players have accounts
CARD_VALUE = 10_000  # kopecks
LINE_STAKES = (100, 200, 200, 500, 500, 1000, 2000)  # kopecks a line, where the player chooses


class Way(StrEnum):
    """How a bet comes, and its money with it (¶9, ¶35)."""

    TERMINAL = "terminal"
    CASH = "cash"
    AGENT = "agent"
    ACCOUNT = "account"
    CARD = "card"
    TRANSFER = "transfer"
    PAPER = "paper"


# Of a hundred bets; the others come from game accounts.
SHARES = {Way.TERMINAL: 46, Way.CASH: 14, Way.AGENT: 6, Way.CARD: 4}
# A few bets of each pool come by transfer and on paper: every sixtieth of the first three hundred.
RARE = {7: Way.TRANSFER, 13: Way.PAPER}
RARE_AMONG, RARE_EVERY = 300, 60
_BY_HUNDREDTH = [way for way, share in SHARES.items() for _ in range(share)]
_MOST = {Way.CARD: CARD_VALUE, Way.ACCOUNT: None}


@dataclass(frozen=True, slots=True)
class ChosenBet:
    """A bet as its player makes it."""

    number: int
    """From 0 within the pool."""
    selections: str
    stake: int
    way: Way
    chance: int
    """Decides which of the tills sells it, or which of the players makes it."""

    @property
    def has_slip(self) -> bool:
        """Whether its player is handed a ticket, and paid in cash for it."""
        return self.way in (Way.TERMINAL, Way.CASH, Way.AGENT, Way.PAPER)


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
        way = _way(number, stake, chance.randrange(100))
        yield ChosenBet(number, _selections(marks), stake, way, chance.randrange(1 << 30))


def full_cover(pool: PlannedPool, number: int) -> ChosenBet:
    """Return the coupon with every outcome marked: what a club of players buys when the jackpot is large."""
    marks = [list(SIGNS) for _ in pool.matches]
    lines = prod(len(signs) for signs in marks)
    return ChosenBet(number, _selections(marks), lines * (pool.line_price or LINE_STAKES[0]), Way.ACCOUNT, chance=0)


def _way(number: int, stake: int, hundredth: int) -> Way:
    rare = RARE.get(number % RARE_EVERY) if number < RARE_AMONG else None
    way = rare or (_BY_HUNDREDTH[hundredth] if hundredth < len(_BY_HUNDREDTH) else Way.ACCOUNT)
    most = _MOST.get(way, MOST_IN_CASH)
    return way if most is None or stake <= most else Way.ACCOUNT


def _widen(marks: list[list[str]], matches: tuple[Match, ...], chance: Random) -> None:
    """Mark a second sign, now and then all three, in some of the matches (D-10)."""
    count = chance.randint(1, min(MOST_DOUBLES, len(matches)))
    for place in chance.sample(range(len(matches)), count):
        others = [sign for sign in SIGNS if sign not in marks[place]]
        marks[place] += others if chance.randrange(5) == 0 else [chance.choice(others)]


def _selections(marks: list[list[str]]) -> str:
    return ";".join("+".join(sorted(signs, key=SIGNS.index)) for signs in marks)
