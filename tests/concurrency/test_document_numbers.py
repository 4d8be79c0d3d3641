"""Numbers of documents under twenty printers at once: each one once, none left out; and each act has one document."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection, transaction

from accounts.models import NumberedDocument, NumberedKind
from accounts.services import document_numbers
from accounts.services.document_numbers import issue_document
from tests.concurrency.racing import race
from totalizator.core.errors import DomainError

pytestmark = pytest.mark.django_db(transaction=True)


def issue(subject: str, kind: NumberedKind = NumberedKind.RECEIPT) -> tuple[int, bool]:
    document, is_new = issue_document(kind=kind, subject=subject, facts={"of": subject}, actor="test")
    return document.number, is_new


def numbers(kind: NumberedKind = NumberedKind.RECEIPT) -> list[int]:
    return sorted(NumberedDocument.objects.filter(kind=kind).values_list("number", flat=True))


def test_twenty_documents_at_once_have_the_numbers_from_1_to_20() -> None:
    given = race([partial(issue, f"bet:{place}") for place in range(20)])
    assert sorted(result for result in given if not isinstance(result, DomainError)) == [
        (number, True) for number in range(1, 21)
    ]
    assert numbers() == list(range(1, 21))


def test_one_act_documented_by_ten_at_once_has_one_document_and_takes_one_number() -> None:
    given = race([partial(issue, "bet:one")] * 10)
    assert sorted(given, key=str) == [(1, False)] * 9 + [(1, True)]
    assert issue("bet:next") == (2, True)


def test_a_number_that_was_taken_by_who_then_failed_is_given_to_the_next() -> None:
    def fail() -> tuple[int, bool]:
        with transaction.atomic():
            taken = issue("bet:lost")
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.2)")
            transaction.set_rollback(True)
        return taken

    acts: list[Callable[[], tuple[int, bool]]] = [fail, *[partial(issue, f"bet:{place}") for place in range(5)]]
    given = race(acts)
    assert len(given) == 6
    assert numbers() == [1, 2, 3, 4, 5]


def test_kinds_count_apart() -> None:
    acts = [partial(issue, f"x:{place}", kind) for kind in NumberedKind for place in range(3)]
    race(acts)
    assert [numbers(kind) for kind in NumberedKind] == [[1, 2, 3]] * len(NumberedKind)


def test_negative_control_counting_the_rows_gives_one_number_to_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the counter's row two printers see the same last number; only the key then stops the second."""

    def count(kind: NumberedKind, year: int) -> int:
        seen = NumberedDocument.objects.filter(kind=kind, year=year).count()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        return seen + 1

    monkeypatch.setattr(document_numbers, "_next_number", count)

    def attempt(subject: str) -> str:
        try:
            issue(subject)
        except Exception as fault:  # noqa: BLE001  what fails is what this test looks for
            return type(fault).__name__
        return "issued"

    assert sorted(str(end) for end in race([partial(attempt, "a"), partial(attempt, "b")])) == [
        "IntegrityError",
        "issued",
    ]
