"""The lines of a pool that can still reach each level, counted by PostgreSQL over all its bets at once (O2).

As when a pool is settled Python sees groups of bets that are alike, and the engine's polynomial counts each group once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pools.models import Pool
from pools.queries.cancelled_bets import cancelled_tickets
from pools.queries.right_bits import result_bits
from pools.queries.tally import NEVER, levels_of_groups, totals_of
from pools.queries.winning_lines import Signature, pairs_of, parameters, winning_groups
from totalizator.engine.alive import Outlook
from totalizator.engine.matching import LevelLines
from totalizator.engine.refund import everything_returned
from totalizator.engine.result import Result
from totalizator.engine.tally import LevelTally, Tally

# Lines of a bet by level, as it stands and as it can become; stake of a line; how many such bets there are.
Group = tuple[LevelLines, LevelLines, int, int]


@dataclass(frozen=True, slots=True)
class AliveTallies:
    """A pool by a part of its result: `so_far` when all that is open is missed; `alive`: what can still be reached.

    The levels of `alive` overlap: a line counts on every level that it can reach.
    """

    so_far: Tally
    alive: Tally


def count_alive(pool: Pool, part: Result, *, jackpot_in: int) -> AliveTallies:
    """Count a pool's bets by a part of its result; `jackpot_in`: kopecks of the jackpot that it would draw."""
    terms, first_start = pool.terms, part.first_started_at or NEVER
    cancelled = cancelled_tickets(pool)
    turnover, lines, refunds = totals_of(pool, first_start, cancelled)
    if everything_returned(terms, part) or turnover - refunds < terms.min_turnover:
        nothing = {level.code: LevelTally(bets={}) for level in terms.levels}
        returned = Tally(turnover, lines, nothing, turnover, returned=True, jackpot_in=jackpot_in)
        return AliveTallies(returned, returned)
    outlook = Outlook(terms, part)
    matched = _matched(outlook)
    filled = parameters(pool, result_bits(terms, part), first_start, cancelled, matched)
    groups = list(_groups(filled, outlook, matched))
    so_far = levels_of_groups(terms, ((now, stake, bets) for now, _can, stake, bets in groups))
    alive = levels_of_groups(terms, ((can, stake, bets) for _now, can, stake, bets in groups))
    return AliveTallies(
        Tally(turnover, lines, so_far, refunds, jackpot_in=jackpot_in),
        Tally(turnover, lines, alive, refunds, jackpot_in=jackpot_in),
    )


def _matched(outlook: Outlook) -> Mapping[int, tuple[LevelLines, LevelLines]]:
    """Map the matches of a single line to its levels, now and possible; without those that can reach nothing."""
    base, levels = outlook.so_far.base, outlook.matches_on
    matched = {
        matches: (
            tuple((level, 1) for level, on in levels.items() if matches in on),
            tuple((level, 1) for level in levels if level in outlook.reached_from[matches]),
        )
        for matches in range(base - outlook.open + 1)
    }
    return {matches: (now, can) for matches, (now, can) in matched.items() if can}


def _groups(
    filled: Mapping[str, object], outlook: Outlook, matched: Mapping[int, tuple[LevelLines, LevelLines]]
) -> Iterator[Group]:
    """Yield the groups of bets that are alike; those that can reach nothing any more are left out."""
    known: dict[Signature, tuple[LevelLines, LevelLines]] = {}
    for matches, signature, line_stake, bets in winning_groups(filled):
        if signature is not None and signature not in known:
            pairs = pairs_of(signature)
            known[signature] = outlook.so_far.levels_of_pairs(pairs), outlook.levels_of_pairs(pairs)
        now, can = matched[matches] if matches is not None else known[signature or ()]
        yield now, can, line_stake, bets
