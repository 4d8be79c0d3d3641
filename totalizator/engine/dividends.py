"""From a tally to a statement: steps 2 and 4 to 10 of settling, in the announced order."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from totalizator.engine.announced import Terms
from totalizator.engine.closing import close_pot
from totalizator.engine.fund import fill_pots, winning_fund
from totalizator.engine.handover import hand_over_empty
from totalizator.engine.limits import apply_maximum, apply_minimum
from totalizator.engine.monotone import raise_higher
from totalizator.engine.statement import LevelStatement, Statement
from totalizator.engine.tally import Tally


def divide(
    terms: Terms,
    tally: Tally,
    *,
    late: Iterable[str] = (),
    cancelled: Iterable[str] = (),
    void: Iterable[str] = (),
    bets_digest: str | None = None,
) -> Statement:
    """Divide a pool's money among its levels (¶11, 36).

    The lists of tickets and of void conditions, and the digest of the bets, are only carried into the statement.
    """
    everything_returned = tally.returned or tally.turnover - tally.refunds < terms.min_turnover
    statement = replace(
        _return_all(terms, tally) if everything_returned else _share_out(terms, tally),
        late=tuple(late),
        cancelled=tuple(cancelled),
        void=tuple(void),
        bets_digest=bets_digest,
    )
    if statement.balance not in (0, None):
        raise AssertionError(f"{statement.balance} kopecks came from nowhere")
    return statement


def _share_out(terms: Terms, tally: Tally) -> Statement:
    """Take steps 4 to 10."""
    fund, takeout = winning_fund(tally.turnover - tally.refunds, terms.fund)
    division = fill_pots(terms, tally, fund)
    hand_over_empty(division)
    if terms.monotone:
        raise_higher(division)
    apply_minimum(division)
    apply_maximum(division)
    closed = [close_pot(terms, pot) for pot in division.pots]
    levels = tuple(level.statement for level in closed)
    overdrawn = _sum(level.overdrawn for level in closed)
    remainders = _sum(level.remainder for level in levels)
    return Statement(
        turnover=tally.turnover,
        refunds=tally.refunds,
        takeout=takeout,
        fund=fund,
        added=None if overdrawn is None else division.added + overdrawn,
        jackpot_in=tally.jackpot_in,
        jackpot_out=None if remainders is None else division.jackpot + remainders,
        winnings=_sum(level.paid for level in levels),
        levels=levels,
        carried_in=tally.carried,
        carried=_not_zero(division.carried),
    )


def _return_all(terms: Terms, tally: Tally) -> Statement:
    """Take step 2: every stake goes back in full, what came from before goes on unchanged (¶32, D-12)."""
    return Statement(
        turnover=tally.turnover,
        refunds=tally.turnover,
        takeout=0,
        fund=0,
        added=0,
        jackpot_in=tally.jackpot_in,
        jackpot_out=tally.jackpot_in,
        winnings=0,
        levels=tuple(LevelStatement(code=level.code, rounding=terms.rounding) for level in terms.levels),
        carried_in=tally.carried,
        carried=_not_zero(tally.carried),
        returned=True,
    )


def _sum(parts: Iterable[int | None]) -> int | None:
    """Add up, unless a part is not known."""
    total = 0
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def _not_zero(amounts: Mapping[str, int]) -> dict[str, int]:
    return {code: amount for code, amount in amounts.items() if amount}
