"""A new key of the operator's, first used by many at once: registered and journalled once (X6)."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import IntegrityError

from pools.models import OperatorKey
from pools.services import operator_keys
from pools.services.operator_keys import register_operator_key
from tests.concurrency.racing import race
from totalizator.core import clock
from totalizator.core.models import JournalRecord
from totalizator.core.signing import operator_key_id

pytestmark = pytest.mark.django_db(transaction=True)
HANDS = 8


def failed(act: Callable[[], object]) -> bool:
    try:
        act()
    except IntegrityError:
        return True
    return False


def registered() -> tuple[list[str], int]:
    keys = list(OperatorKey.objects.values_list("key_id", flat=True))
    return keys, JournalRecord.objects.filter(act="register_operator_key").count()


def test_a_key_that_many_use_first_at_once_is_registered_once() -> None:
    assert race([partial(failed, register_operator_key)] * HANDS) == [False] * HANDS
    assert registered() == ([operator_key_id()], 1)


def test_without_the_lock_two_register_it_and_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(operator_keys, "lock_public_log", clock.now)  # reads a row: time for the others
    assert True in race([partial(failed, register_operator_key)] * HANDS)
    assert registered() == ([operator_key_id()], 1)
