"""Lines without a bank's reference that look the same: as many as the fullest file tells, whatever is imported."""

from collections import Counter

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.services.bank_statements import import_bank_file
from tests.banking import bank_file, csv_line, in_suspense, lines, own_account, take_in
from tests.paying import broken

KINDS = (("за участие", 100), ("за участие", 200), ("пополнение", 100))
files_of_lines = st.lists(st.lists(st.sampled_from(KINDS), max_size=5), min_size=1, max_size=4)


@pytest.mark.django_db
@given(files=files_of_lines)
@settings(max_examples=30, deadline=None)
def test_each_line_counts_as_often_as_the_fullest_file_tells_it(files: list[list[tuple[str, int]]]) -> None:
    with transaction.atomic():
        own_account()
        fullest: Counter[tuple[str, int]] = Counter()
        for told in [file for file in files if file] * 2:  # each is imported twice
            content = bank_file(*(csv_line(amount, purpose, reference="") for purpose, amount in told))
            import_bank_file(content=content, actor="test")
            fullest |= Counter(told)
        assert lines() == fullest.total()
        assert in_suspense() == sum(amount * times for (_purpose, amount), times in fullest.items())
        assert broken() == []
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_two_statements_of_one_file_tell_two_payments() -> None:
    """Two of the house's accounts do not mix, and the same two lines told a day later stay two."""
    one = csv_line(100, "за участие", reference="")
    assert take_in(one).new == 1
    assert take_in(one, one).new == 1
    assert take_in(one, one, csv_line(5, "иное", reference="")).new == 1
    assert (lines(), in_suspense()) == (3, 205)
