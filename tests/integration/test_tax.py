"""Income tax withheld at payment, by the rate of the day (D-17, A4, K5)."""

from datetime import date
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payouts.services.taxing import TaxRule, nearest_kopeck, tax_rule

FIVE = TaxRule(Fraction(1, 20), stake_is_taxed=True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("day", "rate"), [(date(2025, 12, 31), Fraction(4, 100)), (date(2026, 1, 1), Fraction(5, 100))]
)
def test_a4_the_rate_is_that_of_the_legal_day(day: date, rate: Fraction) -> None:
    assert tax_rule(day) == TaxRule(rate, stake_is_taxed=True)


def test_k5_a_hundred_rubles_are_five_and_ninety_five() -> None:
    assert FIVE.tax_on(10_000, stake=100) == 500


def test_the_switch_takes_the_returned_stake_out_of_the_base() -> None:
    rule = TaxRule(Fraction(1, 20), stake_is_taxed=False)
    assert rule.tax_on(10_000, stake=2_000) == 400
    assert rule.tax_on(1_000, stake=2_000) == 0


@pytest.mark.parametrize(("winning", "tax"), [(1, 0), (9, 0), (10, 1), (29, 1), (30, 2), (105, 5), (110, 6)])
def test_tax_is_rounded_to_the_nearest_kopeck_half_up(winning: int, tax: int) -> None:
    assert FIVE.tax_on(winning, stake=100) == tax


@given(st.integers(0, 10**15), st.integers(1, 10**12), st.fractions(0, 1, max_denominator=1_000), st.booleans())
def test_tax_is_never_below_nothing_nor_above_the_winning(
    winning: int, stake: int, rate: Fraction, stake_is_taxed: bool
) -> None:
    tax = TaxRule(rate, stake_is_taxed).tax_on(winning, stake)
    base = winning if stake_is_taxed else max(winning - stake, 0)
    assert 0 <= tax <= winning
    assert abs(tax - base * rate) <= Fraction(1, 2)


@given(st.fractions(0, 10**12))
def test_the_nearest_kopeck_is_the_floor_of_the_amount_and_a_half(amount: Fraction) -> None:
    assert nearest_kopeck(amount) == floor(amount + Fraction(1, 2))
