"""C52: settlement is sent for after the seal is committed, not before, and not at all when it is rolled back."""

import pytest
from django.db import transaction

from pools.models import Pool, PoolState
from pools.queries import pools_due_to_settle
from pools.services.protocols import sign_protocol
from tests.making import PASSPHRASE, make_pool
from tests.resulting import close_by_clock, draw_up, members_of
from totalizator.celery import app
from totalizator.core import enqueuing

pytestmark = pytest.mark.django_db(transaction=True)


class Broker:
    """Takes the messages in place of a broker, and notes which pools a worker would find at that moment."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[tuple[str, list[str]]] = []
        monkeypatch.setattr(enqueuing, "sender", lambda: self)

    def send_task(self, task: str) -> None:
        in_transaction = transaction.get_connection().in_atomic_block
        assert not in_transaction
        self.sent.append((task, [pool.code for pool in pools_due_to_settle()]))


def ready_to_seal() -> Pool:
    pool = close_by_clock(make_pool())
    draw_up(pool, "1;X;2")
    sign_protocol(code=pool.code, member=members_of(pool)[0], passphrase=PASSPHRASE)
    return pool


def seal(pool: Pool) -> bool:
    return sign_protocol(code=pool.code, member=members_of(pool)[1], passphrase=PASSPHRASE)


def test_c52_the_task_finds_the_sealed_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ready_to_seal()
    broker = Broker(monkeypatch)
    assert broker.sent == []
    with transaction.atomic():  # a request with ATOMIC_REQUESTS
        assert seal(pool)
        assert broker.sent == []
    assert broker.sent == [("pools.tasks.settle_due_pools", [pool.code])]


def test_c52_nothing_is_sent_when_the_request_is_rolled_back(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ready_to_seal()
    broker = Broker(monkeypatch)
    with transaction.atomic():
        assert seal(pool)
        transaction.set_rollback(True)
    assert broker.sent == []
    assert Pool.objects.get(pk=pool.pk).state == PoolState.CLOSED


def test_a_broker_that_is_down_does_not_undo_the_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock's tick finds the pool by its state."""

    class Down(Broker):
        def send_task(self, task: str) -> None:
            raise ConnectionError(task)

    Down(monkeypatch)
    pool = ready_to_seal()
    assert seal(pool)
    assert list(pools_due_to_settle()) == [pool]


def test_the_task_that_is_sent_for_exists() -> None:
    app.loader.import_default_modules()
    assert "pools.tasks.settle_due_pools" in app.tasks


def test_messages_go_where_the_workers_listen() -> None:
    sender = enqueuing.sender()
    assert sender.conf.broker_url == app.conf.broker_url
    assert sender.conf.task_default_queue == app.conf.task_default_queue
