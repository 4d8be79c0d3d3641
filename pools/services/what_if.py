"""What would be won if …: the rules of a pool asked by the engine that settles it; nothing is ever changed (X8)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pools.models import Computed, Pool
from pools.queries.tally import count_pool
from pools.snapshots.result import protocol_of
from totalizator.engine.dividends import divide
from totalizator.engine.matching import Matcher, level_of
from totalizator.engine.refund import everything_returned
from totalizator.engine.result import Result, parse_result
from totalizator.engine.statement import LevelStatement, Statement
from totalizator.engine.tally import LevelTally, Tally
from totalizator.engine.terms import Level, Terms

# A page counts all bets of a pool that has at most so many; of a larger one it takes the reader's numbers.
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class SupposedLevel:
    """A level with the numbers of matches that would be on it (none: no line can reach it), and what it would pay."""

    level: Level
    matches: range | None
    statement: LevelStatement


@dataclass(frozen=True, slots=True)
class Supposed:
    """What would come of a supposition; the tally is all that the engine needs to compute it again."""

    base: int
    tally: Tally
    statement: Statement
    levels: tuple[SupposedLevel, ...]


def suppose(
    terms: Terms, *, void: Collection[str], event_void: bool, turnover: int, winners: Mapping[str, int], jackpot_in: int
) -> Supposed:
    """Divide a turnover (kopecks) by the announced terms, when the conditions of `void` do not take place.

    :param winners: level's code → winning lines, or with stakes the winning stakes in kopecks; of a level that no
        line could reach they count as none.
    """
    result = _with_void(_any_result(terms), void, event_void=event_void)
    reached = _reached(terms, result)
    returned = everything_returned(terms, result) or turnover < terms.min_turnover
    levels = {
        level.code: LevelTally() if returned or reached[level.code] is None else _won(terms, winners[level.code])
        for level in terms.levels
    }
    lines = turnover // terms.price.line if terms.price.line else 0
    refunds = turnover if returned else 0
    tally = Tally(turnover, lines, levels, refunds, returned=returned, jackpot_in=jackpot_in)
    return _supposed(terms, result, tally, reached)


def recount(pool: Pool, settlement: Computed, *, void: Collection[str], event_void: bool) -> Supposed:
    """Count all bets of an officially settled pool as if the conditions of `void` had not taken place either."""
    protocol, terms = protocol_of(settlement), pool.terms
    result = _with_void(parse_result(terms, protocol.document_text.encode()), void, event_void=event_void)
    counted = count_pool(pool, result, jackpot_in=settlement.jackpot_in)
    return _supposed(terms, result, counted.tally, _reached(terms, result))


def _supposed(terms: Terms, result: Result, tally: Tally, reached: Mapping[str, range | None]) -> Supposed:
    void = [condition.code for condition in terms.conditions if condition.code in result.void]
    statement = divide(terms, tally, void=void)
    levels = zip(terms.levels, statement.levels, strict=True)
    told = tuple(SupposedLevel(level, reached[level.code], paid) for level, paid in levels)
    return Supposed(_base(terms, result), tally, statement, told)


def _won(terms: Terms, winners: int) -> LevelTally:
    return LevelTally(lines=winners) if terms.by_lines else LevelTally(stakes=winners)


def _any_result(terms: Terms) -> Result:
    """Make up a result in which all took place: which outcomes are right matters only to bets."""
    right = {condition.code: frozenset({condition.outcomes[0].code}) for condition in terms.conditions}
    return Result(right, frozenset(), event_void=False, first_started_at=None, signatures=())


def _with_void(result: Result, void: Collection[str], *, event_void: bool) -> Result:
    right = {code: outcomes for code, outcomes in result.right.items() if code not in void}
    return replace(result, right=right, void=result.void | frozenset(void), event_void=event_void or result.event_void)


def _base(terms: Terms, result: Result) -> int:
    return Matcher(terms, result).base


def _reached(terms: Terms, result: Result) -> dict[str, range | None]:
    """Tell the numbers of matches on each level; a void condition that always matches takes the low ones away (D-9)."""
    base = _base(terms, result)
    least = len(result.void) if terms.void_condition == "all_match" else 0
    reached: dict[str, range | None] = dict.fromkeys([level.code for level in terms.levels])
    for matches in range(least, base + 1):
        level = level_of(terms, matches, base)
        if level is not None:
            known = reached[level]
            reached[level] = range(matches if known is None else known.start, matches + 1)
    return reached
