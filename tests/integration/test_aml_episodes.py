"""Stretches of operations, against a plain reading of what one is (Q2)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from accounts.queries.operations import Operation, episodes

T0 = datetime(2026, 11, 30, tzinfo=UTC)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=25),
    st.integers(1, 8),
    st.integers(1, 5),
    st.integers(0, 20),
)
def test_episodes_hold_exactly_what_is_in_some_full_window(
    made: list[tuple[int, int]], minutes: int, count: int, least: int
) -> None:
    operations = [Operation(str(n), T0 + timedelta(minutes=m), a) for n, (m, a) in enumerate(sorted(made))]
    window = timedelta(minutes=minutes)

    def full(start: int) -> Sequence[Operation]:
        inside = [op for op in operations[start:] if op.at - operations[start].at <= window]
        return inside if len(inside) >= count and sum(op.amount for op in inside) >= least else []

    expected = {op.reference for start in range(len(operations)) for op in full(start)}
    found = list(episodes(operations, window=window, count=count, least_sum=least))
    references = [op.reference for episode in found for op in episode]
    assert sorted(references) == sorted(expected)
