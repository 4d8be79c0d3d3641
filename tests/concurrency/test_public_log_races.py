"""The public log under many hands and under `kill -9`: dense, in order, a head for every line (X6)."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from pools import tasks
from pools.models import LogEntry, LogHead, LogNode, PoolState
from pools.services import public_log
from pools.services.public_log import append_to_log
from tests.concurrency.racing import race
from tests.concurrency.test_settling_kills import die_at, loaded_pool
from totalizator.core import clock
from totalizator.core.errors import DomainError
from totalizator.core.signing import operator_sign
from totalizator.engine.merkle import MerkleTree, leaf_hash

pytestmark = pytest.mark.django_db(transaction=True)
HANDS, EACH = 8, 6


def append_some(hand: int) -> None:
    for number in range(EACH):
        with transaction.atomic():
            append_to_log(
                kind="journal", subject=f"journal:{hand}", document=b"%d" % number, at=clock.now(), version=number + 1
            )


def log_is_whole() -> int:
    """Check indexes, times and every head; return how many lines there are."""
    tree, before = MerkleTree(), None
    entries = list(LogEntry.objects.order_by("index"))
    heads = list(LogHead.objects.order_by("size"))
    assert [head.size for head in heads] == [entry.index + 1 for entry in entries] == list(range(1, len(heads) + 1))
    for entry, head in zip(entries, heads, strict=True):
        tree.add(leaf_hash(entry.line.encode()))
        assert head.root == tree.root().hex()
        assert before is None or before <= entry.at
        assert entry.at <= head.at
        before = head.at
    return len(heads)


def test_many_hands_append_one_after_another() -> None:
    assert race([partial(append_some, hand) for hand in range(HANDS)]) == [None] * HANDS
    assert log_is_whole() == HANDS * EACH
    for hand in range(HANDS):
        versions = (
            LogEntry.objects.filter(subject=f"journal:{hand}").order_by("index").values_list("version", flat=True)
        )
        assert list(versions) == list(range(1, EACH + 1))


def test_without_the_lock_two_hands_want_the_same_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the indexes would still not be doubled, but acts would fail, or find a head missing."""
    monkeypatch.setattr(public_log, "lock_public_log", lambda: None)

    def refused(act: Callable[[], None]) -> bool:
        try:
            act()
        except (IntegrityError, DomainError):
            return True
        return False

    def slowly(payload: bytes) -> dict[str, str]:
        clock.now()
        return operator_sign(payload)

    monkeypatch.setattr(public_log, "operator_sign", slowly)
    told = race([partial(refused, partial(append_some, hand)) for hand in range(HANDS)])
    assert True in told
    log_is_whole()


@pytest.mark.parametrize("function", ["entry_line", "_grow", "_sign_head", "operator_sign"])
def test_killed_between_a_line_and_its_head_there_is_neither(function: str) -> None:
    pool = loaded_pool()
    assert log_is_whole() == 2
    nodes = LogNode.objects.count()
    assert die_at("pools.services.public_log", function) == -9
    pool.refresh_from_db()
    assert pool.state == PoolState.RESULTED
    assert (log_is_whole(), LogNode.objects.count()) == (2, nodes)
    tasks.settle_due_pools()
    pool.refresh_from_db()
    assert pool.state == PoolState.SETTLED
    assert log_is_whole() == 3
