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
    WHOLE_POOL,
    Signature,
    Span,
    pairs_of,
    parameters,
    winning_groups,
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
class Winners:
    """What is needed to find winning bets again, and what each wins."""

    filled: Mapping[str, Any] = field(default_factory=dict)
    """What the SQL of `winning_lines` is filled with."""
    singles: Mapping[int, str] = field(default_factory=dict)
    """Matches of a single line → level."""
    systems: Mapping[Signature, LevelLines] = field(default_factory=dict)
    """Signature of a system bet → its winning lines by level."""


@dataclass(frozen=True, slots=True)
class CountedPool:
    """A pool's tally, and what is needed to find the winning bets again."""

    tally: Tally
    late: tuple[str, ...]
    """Tickets of late bets, in the order of their bytes (D-16)."""
    cancelled: tuple[str, ...] = ()
    """Tickets of bets cancelled by now (¶29), in the order of their bytes; such a bet is not among the late ones."""
    winners: Winners = field(default_factory=Winners)


@dataclass(frozen=True, slots=True)
class RangeCount:
    """What was counted of some of a pool's bets; what was counted of others can be added to it, in any order."""

    turnover: int
    lines: int
    refunds: int
    late: Sequence[str]
    singles: Sequence[tuple[int, int, int]]
    """(matches, stake, bets) of the single lines that are on a level."""
    systems: Sequence[tuple[Sequence[int], int, int]]
    """(signature, stake of a line, bets) of the system bets that may have a line on a level."""


def count_pool(pool: Pool, result: Result, *, jackpot_in: int) -> CountedPool:
    """Count a pool's turnover, refunds, and winning lines and stakes by level.

    `jackpot_in`: kopecks of the jackpot that are reserved for this pool.
    """
    cancelled = cancelled_tickets(pool)
    counts = [count_range(pool, result, cancelled, WHOLE_POOL)]
    return put_together(pool, result, cancelled, counts, jackpot_in=jackpot_in)


def count_range(pool: Pool, result: Result, cancelled: Sequence[str], span: Span) -> RangeCount:
    """Count the bets that were registered in a span of time; `cancelled`: tickets that are out of the division."""
    first_start = result.first_started_at or NEVER
    turnover, lines, refunds = totals_of(pool, first_start, cancelled, span)
    late = _late_tickets(pool, first_start, cancelled, span) if refunds else ()
    if everything_returned(pool.terms, result):
        return RangeCount(turnover, lines, refunds, late, (), ())
    winning = _winning_matches(pool.terms, Matcher(pool.terms, result).base)
    groups = list(
        winning_groups(parameters(pool, result_bits(pool.terms, result), first_start, cancelled, winning), span)
    )
    singles = [(matches, stake, bets) for matches, _none, stake, bets in groups if matches is not None]
    systems = [(signature, stake, bets) for _none, signature, stake, bets in groups if signature is not None]
    return RangeCount(turnover, lines, refunds, late, singles, systems)


def put_together(
    pool: Pool, result: Result, cancelled: Sequence[str], counts: Sequence[RangeCount], *, jackpot_in: int
) -> CountedPool:
    """Add up what was counted of all bets of a pool, each of them once."""
    terms = pool.terms
    turnover, refunds = sum(each.turnover for each in counts), sum(each.refunds for each in counts)
    lines = sum(each.lines for each in counts)
    late = tuple(sorted(ticket for each in counts for ticket in each.late))
    if everything_returned(terms, result) or turnover - refunds < terms.min_turnover:
        returned = Tally(turnover, lines, levels_of_groups(terms, ()), turnover, returned=True, jackpot_in=jackpot_in)
        return CountedPool(returned, late, tuple(cancelled))
    winners = winners_among(pool, result, cancelled, counts)
    levels = levels_of_groups(terms, _groups(winners, counts))
    tally = Tally(turnover, lines, levels, refunds, jackpot_in=jackpot_in)
    return CountedPool(tally, late, tuple(cancelled), winners)


def winners_among(pool: Pool, result: Result, cancelled: Sequence[str], counts: Sequence[RangeCount]) -> Winners:
    """Return how the winning bets among those that were counted are found again; not all need to be among them."""
    matcher = Matcher(pool.terms, result)
    signatures = {tuple(signature) for each in counts for signature, _stake, _bets in each.systems}
    winning = _winning_matches(pool.terms, matcher.base)
    return Winners(
        parameters(pool, result_bits(pool.terms, result), result.first_started_at or NEVER, cancelled, winning),
        winning,
        {signature: matcher.levels_of_pairs(pairs_of(signature)) for signature in signatures},
    )


def _groups(winners: Winners, counts: Sequence[RangeCount]) -> Iterator[Group]:
    """Yield the groups of bets that are alike."""
    for each in counts:
        for matches, stake, bets in each.singles:
            yield ((winners.singles[matches], 1),), stake, bets
        for signature, line_stake, bets in each.systems:
            yield winners.systems[tuple(signature)], line_stake, bets


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


def totals_of(pool: Pool, first_start: str, cancelled: Sequence[str], span: Span = WHOLE_POOL) -> tuple[int, int, int]:
    """Return turnover, lines and the stakes of late and cancelled bets."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT COALESCE(sum(b.stake), 0)::bigint, COALESCE(sum(b.lines), 0)::bigint,"
            f" COALESCE(sum(b.stake) FILTER (WHERE NOT ({IN_TIME_SQL})), 0)::bigint"
            f" FROM pools_bet b WHERE b.pool_id = %(pool)s{span.sql}",
            {**span.values, "pool": pool.pk, "first_start": first_start, "cancelled": list(cancelled)},
        )
        turnover, lines, refunds = cursor.fetchone()
    return turnover, lines, refunds


def _late_tickets(pool: Pool, first_start: str, cancelled: Sequence[str], span: Span) -> tuple[str, ...]:
    late = pool.bets.filter(registered_at__gte=first_start).exclude(ticket__in=cancelled)
    if span.since is not None:
        late = late.filter(registered_at__gte=span.since)
    if span.before is not None:
        late = late.filter(registered_at__lt=span.before)
    return tuple(sorted(late.values_list("ticket", flat=True)))
