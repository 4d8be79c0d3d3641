"""Which pools the demonstration plays, and how many of its bets are made on each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from payouts.management.demo import terms
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet, choose_bets, full_cover
from payouts.management.demo.matches import read_round
from payouts.management.demo.terms import Announcement, PlannedPool
from totalizator.core import clock

OPENS_IN = timedelta(minutes=10)
SALE_LASTS = timedelta(days=3)
VISITORS_HAVE = timedelta(days=30)

# Percent of all bets. What is left over is made on the first pool.
ONE_MATCH, EIGHT_MATCHES, JACKPOT = 12, 13, 15
LEAST_BETS = 20


@dataclass(frozen=True, slots=True)
class Sale:
    """A pool and how many bets are made on it, the last one by a club that covers every outcome if `club`."""

    plan: PlannedPool
    count: int
    club: bool = False

    def bets(self, seed: int) -> Iterator[ChosenBet]:
        """Yield the bets; the same ones each time."""
        if self.club:
            yield full_cover(self.plan, self.count - 1)
        yield from choose_bets(self.plan, self.count - 1 if self.club else self.count, seed)


def first_round(run: int, bets: int, cast: Cast, rules_version: str) -> list[Sale]:
    """Plan three pools on the matches of one week-end: fifteen matches, one match, eight matches."""
    played = read_round("august_2024")
    soon = _announcement(cast, rules_version, SALE_LASTS)
    derby = replace(played, matches=tuple(match for match in played.matches if match.teams == ("athletic", "atletico")))
    eight = replace(played, matches=played.matches[5:13])
    counts = [bets * percent // 100 for percent in (ONE_MATCH, EIGHT_MATCHES, JACKPOT)]
    return [
        Sale(terms.fifteen_matches(f"D{run}-1", played, soon), bets - sum(counts)),
        Sale(terms.one_match(f"D{run}-2", derby, soon), counts[0]),
        Sale(terms.eight_matches(f"D{run}-3", eight, soon), counts[1]),
    ]


def second_round(run: int, bets: int, cast: Cast, rules_version: str) -> list[Sale]:
    """Plan the pool that draws the jackpot, with a club among its players, so that the jackpot is surely won."""
    soon = _announcement(cast, rules_version, SALE_LASTS)
    plan = terms.jackpot_pool(f"D{run}-4", read_round("september_2024"), soon)
    return [Sale(plan, bets * JACKPOT // 100, club=True)]


def visitors_round(run: int, cast: Cast, rules_version: str) -> PlannedPool:
    """Plan the pool that whoever looks at the site afterwards can bet on."""
    later = _announcement(cast, rules_version, VISITORS_HAVE)
    return terms.open_pool_for_visitors(f"D{run}-5", read_round("later_september_2024"), later)


def codes_of(sales: Sequence[Sale]) -> list[str]:
    """Return the pools' codes."""
    return [sale.plan.code for sale in sales]


def _announcement(cast: Cast, rules_version: str, lasts: timedelta) -> Announcement:
    opens_at = (clock.now() + OPENS_IN).replace(microsecond=0)
    return Announcement(opens_at, opens_at + lasts, rules_version, cast.keys)
