"""Income tax on a winning, withheld when it is paid, by the rate of the day (D-17, A4)."""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from totalizator.core.legal import legal_number


@dataclass(frozen=True, slots=True)
class TaxRule:
    """What the law says on one day: the rate, and whether the returned stake is in the base."""

    rate: Fraction
    stake_is_taxed: bool

    def tax_on(self, winning: int, stake: int) -> int:
        """Return the tax on a winning, in kopecks; `stake` is the whole bet's."""
        base = winning if self.stake_is_taxed else max(winning - stake, 0)
        return nearest_kopeck(base * self.rate)


def tax_rule(on: date) -> TaxRule:
    """Return the rule of the legal day `on`: that of the payment, not of the bet or the result."""
    return TaxRule(rate=legal_number("winning_tax_rate", on), stake_is_taxed=bool(legal_number("stake_is_taxed", on)))


def nearest_kopeck(amount: Fraction) -> int:
    """Round a tax of `amount` kopecks to the nearest whole one, half a kopeck up, as tax is counted."""
    return (2 * amount.numerator + amount.denominator) // (2 * amount.denominator)
