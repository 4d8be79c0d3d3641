"""From net turnover to the levels' funds: steps 4 and 5 of settling."""

from fractions import Fraction

from totalizator.engine.announced import Terms
from totalizator.engine.division import Division
from totalizator.engine.rounding import fund_up, share_down
from totalizator.engine.tally import Tally


def winning_fund(net: int, share: Fraction) -> tuple[int, int]:
    """Split net turnover into the winning fund, rounded up, and the takeout, which is the rest (¶4, 9.15, 23, D-15).

    :returns: (fund, takeout) in kopecks.
    """
    fund = fund_up(net, share)
    return fund, net - fund


def level_funds(terms: Terms, fund: int) -> tuple[dict[str, int], int]:
    """Split the winning fund over the levels: shares rounded down, the highest level takes the rest (¶11.3, D-15).

    :returns: level code → kopecks, and the part that goes straight into the jackpot.
    """
    to_jackpot = share_down(fund, terms.jackpot_share)
    funds = {level.code: share_down(fund, level.share) for level in terms.levels}
    funds[terms.top.code] += fund - to_jackpot - sum(funds.values())
    return funds, to_jackpot


def jackpot_drawn(terms: Terms, jackpot_in: int) -> int:
    """Tell how much of the jackpot this pool draws (¶18-20, 39)."""
    return 0 if terms.jackpot is None else share_down(jackpot_in, terms.jackpot.share)


def fill_pots(terms: Terms, tally: Tally, fund: int) -> Division:
    """Open the pots: level funds, then what was carried, then the drawn jackpot, then guarantees.

    A guarantee raises only a level with winners, with the organizer's own money.
    """
    funds, to_jackpot = level_funds(terms, fund)
    division = Division(terms, tally, funds)
    drawn = jackpot_drawn(terms, tally.jackpot_in)
    division.jackpot += to_jackpot + tally.jackpot_in - drawn
    for pot in division.pots:
        pot.reached += tally.carried.get(pot.level.code, 0)
        if terms.jackpot is not None and terms.jackpot.level == pot.level.code:
            pot.reached += drawn
    for pot in division.live():
        division.top_up(pot, terms.guarantee.get(pot.level.code, 0))
    return division
