"""Lines by number of matches: the polynomial against counting every line (B2, I8, D-10)."""

from itertools import product
from math import comb, prod
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalizator.engine.matching import lines_by_matches

# hits and misses of each condition; the product of the sums is the number of lines
COUPONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), max_size=9).filter(
    lambda pairs: prod(hits + misses for hits, misses in pairs) <= 10_000
)


def counted(pairs: list[tuple[int, int]]) -> list[int]:
    """Count by going through the lines: a mark is True when it is right."""
    counts = [0] * (len(pairs) + 1)
    for line in product(*([True] * hits + [False] * misses for hits, misses in pairs)):
        counts[sum(line)] += 1
    return counts


@given(COUPONS)
@settings(max_examples=300, deadline=None)
def test_b2_the_polynomial_is_the_enumeration(pairs: list[tuple[int, int]]) -> None:
    assert list(lines_by_matches(pairs)) == counted(pairs)


@given(COUPONS, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_conditions_does_not_matter(pairs: list[tuple[int, int]], shuffler: Random) -> None:
    shuffled = list(pairs)
    shuffler.shuffle(shuffled)
    assert lines_by_matches(shuffled) == lines_by_matches(pairs)


@pytest.mark.parametrize("size", [1, 15, 40])
def test_a_coupon_nobody_could_expand(size: int) -> None:
    """One right and two wrong marks everywhere: 3^40 lines, counted at once."""
    assert list(lines_by_matches([(1, 2)] * size)) == [comb(size, h) * 2 ** (size - h) for h in range(size + 1)]


def test_i8_each_mark_in_a_void_condition_multiplies_the_lines() -> None:
    """A double in a void condition: two hits where all matches count, two misses where the condition is left out."""
    assert list(lines_by_matches([(1, 0), (1, 1), (2, 0)])) == [0, 0, 2, 2]
    assert list(lines_by_matches([(1, 0), (1, 1), (0, 2)])) == [0, 2, 2, 0]
