"""The tally of a pool, counted by PostgreSQL over all its bets at once; Python sees groups of bets, never a bet."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from pools.models import Pool
from pools.queries.cancelled_bets import cancelled_tickets
from pools.queries.right_bits import result_bits
from pools.queries.winning_lines import (
    IN_TIME_SQL,
    Signature,
    pairs_of,
    parameters,
    single_groups,
    system_groups,
)
from totalizator.engine.matching import LevelLines, Matcher, level_of
from totalizator.engine.refund import everything_returned
from totalizator.engine.result import Result
from totalizator.engine.tally import LevelTally, Tally
from totalizator.engine.terms import Terms

NEVER = "infinity"  # nothing started, so nothing was late

# Lines of a bet by level, stake of a line, how many such bets there are.
Group = tuple[LevelLines, int, int]


@dataclass(frozen=True, slots=True)
class CountedPool:
    """A pool's tally, and what is needed to find the winning bets again."""

    tally: Tally
    late: tuple[str, ...]
    """Tickets of late bets, in the order of their bytes (D-16)."""
    cancelled: tuple[str, ...] = ()
    """Tickets of bets cancelled by now (¶29), in the order of their bytes; such a bet is not among the late ones."""
    filled: Mapping[str, Any] = field(default_factory=dict)
    singles: Mapping[int, str] = field(default_factory=dict)
    """Matches of a single line → level."""
    systems: Mapping[Signature, LevelLines] = field(default_factory=dict)
    """Signature of a system bet → its winning lines by level."""


def count_pool(pool: Pool, result: Result, *, jackpot_in: int) -> CountedPool:
    """Count a pool's turnover, refunds, and winning lines and stakes by level.

    `jackpot_in`: kopecks of the jackpot that are reserved for this pool.
    """
    terms = pool.terms
    first_start = result.first_started_at or NEVER
    cancelled = cancelled_tickets(pool)
    turnover, lines, refunds = totals_of(pool, first_start, cancelled)
    late = _late_tickets(pool, first_start, cancelled) if refunds else ()
    if everything_returned(terms, result) or turnover - refunds < terms.min_turnover:
        returned = Tally(turnover, lines, levels_of_groups(terms, ()), turnover, returned=True, jackpot_in=jackpot_in)
        return CountedPool(returned, late, cancelled)
    filled = parameters(pool, result_bits(terms, result), first_start, cancelled)
    matcher = Matcher(terms, result)
    singles = _winning_matches(terms, matcher.base)
    systems: dict[Signature, LevelLines] = {}
    levels = levels_of_groups(terms, _groups(filled, matcher, singles, systems))
    tally = Tally(turnover, lines, levels, refunds, jackpot_in=jackpot_in)
    return CountedPool(tally, late, cancelled, filled, singles, systems)


def _groups(
    filled: Mapping[str, Any], matcher: Matcher, singles: Mapping[int, str], systems: dict[Signature, LevelLines]
) -> Iterator[Group]:
    """Yield the groups of bets that are alike, and note in `systems` what each signature wins."""
    for matches, stake, bets in single_groups(filled, singles):
        yield ((singles[matches], 1),), stake, bets
    for signature, line_stake, bets in system_groups(filled):
        if signature not in systems:
            systems[signature] = matcher.levels_of_pairs(pairs_of(signature))
        yield systems[signature], line_stake, bets


def _winning_matches(terms: Terms, base: int) -> dict[int, str]:
    """Map the numbers of matches that are on a level to it."""
    levels = {matches: level_of(terms, matches, base) for matches in range(base + 1)}
    return {matches: level for matches, level in levels.items() if level is not None}


def levels_of_groups(terms: Terms, groups: Iterable[Group]) -> dict[str, LevelTally]:
    """Add up the groups."""
    lines = Counter[str]()
    winning_stakes = {level.code: Counter[int]() for level in terms.levels}
    for by_level, line_stake, bets in groups:
        for level, count in by_level:
            lines[level] += count * bets
            winning_stakes[level][count * line_stake] += bets
    return {
        level: LevelTally(
            lines=lines[level],
            stakes=sum(stake * bets for stake, bets in bets_by_stake.items()),
            bets=dict(bets_by_stake),
        )
        for level, bets_by_stake in winning_stakes.items()
    }


def totals_of(pool: Pool, first_start: str, cancelled: Sequence[str]) -> tuple[int, int, int]:
    """Return turnover, lines and the stakes of late and cancelled bets."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT COALESCE(sum(b.stake), 0)::bigint, COALESCE(sum(b.lines), 0)::bigint,"
            f" COALESCE(sum(b.stake) FILTER (WHERE NOT ({IN_TIME_SQL})), 0)::bigint"
            f" FROM pools_bet b WHERE b.pool_id = %(pool)s",
            {"pool": pool.pk, "first_start": first_start, "cancelled": list(cancelled)},
        )
        turnover, lines, refunds = cursor.fetchone()
    return turnover, lines, refunds


def _late_tickets(pool: Pool, first_start: str, cancelled: Sequence[str]) -> tuple[str, ...]:
    late = pool.bets.filter(registered_at__gte=first_start).exclude(ticket__in=cancelled)
    return tuple(sorted(late.values_list("ticket", flat=True)))
