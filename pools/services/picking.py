"""Marking a line for who does not want to choose: by chance alone, or as others are known to have played (B7)."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pools.models import Pool, PoolState
from pools.snapshots.pool_history import distribution_of, may_show_distribution
from totalizator.engine.terms import Terms

LOOKED_BACK = 10
"""Pools of the game, from the latest, among which one is looked for whose outcomes are those of the pool."""


@dataclass(frozen=True, slots=True)
class PublishedShares:
    """How lines were shared among outcomes: for each condition, lines by the code of the outcome; and in which pool."""

    pool_code: str
    counts: Sequence[Mapping[str, int]]

    @property
    def of_all(self) -> Mapping[str, int]:
        """The lines by outcome, of all conditions together."""
        summed: dict[str, int] = {}
        for counts in self.counts:
            for code, lines in counts.items():
                summed[code] = summed.get(code, 0) + lines
        return summed


def published_shares(pool: Pool) -> PublishedShares | None:
    """Return the shares that a weighted pick goes by; None when none are public.

    The pool's own ones, once they may be shown; while it sells nobody sees how others bet, and those of the latest
    settled pool of the game stand for them, all its conditions together, where the outcomes are called the same (X1).
    """
    if may_show_distribution(pool):
        own = PublishedShares(pool.code, _shares(pool))
        return own if any(own.of_all.values()) else None
    codes = _common_codes(pool.terms)
    settled = Pool.objects.filter(game=pool.game, state__in=(PoolState.SETTLED, PoolState.ARCHIVED)).exclude(pk=pool.pk)
    for earlier in settled.order_by("-closes_at")[:LOOKED_BACK] if codes else ():
        if _common_codes(earlier.terms) == codes:
            counts = PublishedShares(earlier.code, _shares(earlier)).of_all
            if any(counts.values()):
                return PublishedShares(earlier.code, [counts] * len(pool.terms.conditions))
    return None


def weighted_selections(terms: Terms, shares: PublishedShares) -> str:
    """Return a random single line: an outcome is as likely as its share of the lines."""
    return ";".join(
        _chosen(counts) if any(counts.values()) else secrets.choice(condition.outcomes).code
        for condition, counts in zip(terms.conditions, shares.counts, strict=True)
    )


def _chosen(counts: Mapping[str, int]) -> str:
    left = secrets.randbelow(sum(counts.values()))
    for code, lines in counts.items():
        left -= lines
        if left < 0:
            return code
    raise AssertionError("a number below the sum lies in one of its parts")


def _shares(pool: Pool) -> list[Mapping[str, int]]:
    return [{each["code"]: each["lines"] for each in row["outcomes"]} for row in distribution_of(pool)]


def _common_codes(terms: Terms) -> tuple[str, ...]:
    """Return the outcomes that every condition has, in the same order; none when they differ."""
    every = {tuple(outcome.code for outcome in condition.outcomes) for condition in terms.conditions}
    return every.pop() if len(every) == 1 else ()
