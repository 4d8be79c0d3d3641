"""How likely is so much luck: the upper tail of the binomial distribution, in whole numbers (X11).

Somebody's bets are spread over pools of which each has its own share of winning bets. The sum of such wins is less
spread out than a binomial one with the mean share (W. Hoeffding, 1956, On the distribution of the number of successes
in independent trials): above the mean plus one, the tail found here is never below the true one. So nobody is reported
whose luck is likelier than the limit.
"""

from fractions import Fraction
from math import comb

_PARTS = 2**30
_NEGLIGIBLE_BITS = 64


def rounded_up(share: Fraction) -> Fraction:
    """Return the share as parts of 2**30, rounded up: a larger share makes the tail larger, never smaller."""
    return Fraction(-(-share.numerator * _PARTS // share.denominator), _PARTS)


def is_rarer(wins: int, bets: int, share: Fraction, limit: Fraction) -> bool:
    """Tell whether `wins` or more of `bets` have a probability below `limit`, each bet winning with that share.

    It stops at the first partial sum that reaches the limit: for an honest person after a few terms.

    :raises ValueError: as `tail`.
    """
    return tail(wins, bets, share, enough=limit) < limit


def tail(wins: int, bets: int, share: Fraction, *, enough: Fraction = Fraction(2)) -> Fraction:
    """Return the probability of `wins` or more of `bets`, or as much of it as is `enough`.

    Never below the exact one, and above it by less than one part in 2**60.

    :raises ValueError: for a share that is none, or numbers below 0.
    """
    if not 0 <= share <= 1 or wins < 0 or bets < 0:
        raise ValueError(f"{wins} of {bets} with a share of {share}")
    won, whole = share.numerator, share.denominator
    if wins > bets or (wins and not won):
        return Fraction(0)
    if won == whole:
        return Fraction(1)
    lost, ways = whole - won, whole**bets
    most = enough.numerator * ways // enough.denominator
    # Each term has `ways` below it, so that only what stands above is added.
    term, added = comb(bets, wins) * won**wins * lost ** (bets - wins), 0
    for more in range(wins, bets + 1):
        added += term
        if added > most:
            break
        above, below = (
            (bets - more) * won,
            (more + 1) * lost,
        )  # the next term is so much of this one, and less each time
        if above < below and added.bit_length() - term.bit_length() > _NEGLIGIBLE_BITS:
            rest = -(-term * above // (below - above))
            if rest << _NEGLIGIBLE_BITS < added:
                added += rest
                break
        term = term * above // below
    return Fraction(added, ways)
