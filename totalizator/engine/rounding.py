"""Every rounding of the engine, by its name and its direction (D-6, D-15). Nothing else rounds."""

from fractions import Fraction

from totalizator.engine.announced import Rounding

SHOWN_PLACES = 6
HALF = Fraction(1, 2)


def fund_up(net: int, share: Fraction) -> int:
    """Give the winning fund: the share of the net turnover, up, as the law says "not less than" (¶4, D-15)."""
    return -(-net * share.numerator // share.denominator)


def share_down(amount: int, share: Fraction) -> int:
    """Give an announced share of an amount, down: a level's fund, the jackpot's part, what a pool draws (D-15)."""
    return amount * share.numerator // share.denominator


def portion_down(amount: int, part: int, whole: int) -> int:
    """Give the part of an amount that belongs to `part` of `whole` lines or stakes, down."""
    return amount * part // whole


def cost_up(dividend: Fraction, winners: int) -> int:
    """Give the fund that pays a dividend (coefficient) to all lines (stakes), up, so that it is enough."""
    return -(-dividend.numerator * winners // dividend.denominator)


def to_step(value: Fraction, rounding: Rounding) -> Fraction:
    """Bring a dividend or coefficient to the announced step: down, or to the nearest with halves up."""
    steps = Fraction(value, rounding.step)
    if rounding.mode == "nearest":
        steps += HALF
    return (steps.numerator // steps.denominator) * rounding.step


def line_dividend(fund: int, lines: int, rounding: Rounding) -> int:
    """Give the dividend of one line in kopecks: fund // lines to the step (¶11.2, 11.3)."""
    return int(to_step(Fraction(fund, lines), rounding))


def paid_coefficient(fund: int, stakes: int, rounding: Rounding) -> Fraction:
    """Give the coefficient that is paid: exact, or cut to the step if that is what was announced (¶36)."""
    exact = Fraction(fund, stakes)
    return to_step(exact, rounding) if rounding.of == "coefficient" else exact


def stake_winning(stake: int, coefficient: Fraction, rounding: Rounding) -> int:
    """Give one bet's winning in kopecks: stake × coefficient, down; to the nearest where winnings are rounded so."""
    exact = stake * coefficient
    if rounding.mode == "nearest" and rounding.of == "winning":
        exact += HALF
    return exact.numerator // exact.denominator


def coefficient_shown(coefficient: Fraction) -> str:
    """Write a coefficient with six places, cut and not rounded (D-6)."""
    units = coefficient.numerator * 10**SHOWN_PLACES // coefficient.denominator
    return f"{units // 10**SHOWN_PLACES}.{units % 10**SHOWN_PLACES:0{SHOWN_PLACES}d}"
