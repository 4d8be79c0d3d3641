"""The health pages: what they ask, what they tell strangers, and when they say no."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client, override_settings

from tests.functional.test_broker import database_url
from totalizator.core import clock, clock_drift, outbox_models
from totalizator.core.enqueuing import sender
from totalizator.core.job_models import JobRun
from totalizator.core.watching import broker, health
from totalizator.core.watching.jobs import note_run

NAMES = {"database", "migrations", "clock", "broker", "jobs", "outbox"}


@pytest.fixture(autouse=True)
def _seen_nothing() -> Iterator[None]:
    health.look_anew()
    yield
    sender.cache_clear()


def asked(page: str = "ready") -> tuple[int, dict[str, Any]]:
    health.look_anew()
    answer = Client().get(f"/health/{page}")
    assert answer["Cache-Control"] == "no-store"
    return answer.status_code, answer.json()


def wrong(document: dict[str, Any]) -> set[str]:
    assert set(document["checks"].values()) <= {"ok", "not ok"}
    return {name for name, told in document["checks"].items() if told != "ok"}


def all_is_well() -> None:
    note_run("totalizator.core.tasks.seal_journal", failed=False, seconds=0.01)


def test_a_living_process_says_so_without_a_database() -> None:
    assert asked("live") == (200, {"status": "ok"})  # this test may not touch the database


@pytest.mark.django_db
def test_ready_when_everything_is_in_order() -> None:
    all_is_well()
    assert asked() == (200, {"status": "ok", "checks": dict.fromkeys(health.READY, "ok")})
    assert set(health.READY) == NAMES
    assert asked("selling")[1]["checks"] == {"database": "ok", "migrations": "ok", "clock": "ok"}


@pytest.mark.django_db
def test_a_system_whose_jobs_stand_still_is_not_ready_and_sells() -> None:
    status, told = asked()
    assert (status, told["status"], wrong(told)) == (503, "not ok", {"jobs"})
    all_is_well()
    JobRun.objects.update(succeeded_at=datetime.now(UTC) - timedelta(seconds=90))  # it goes by the true time
    assert wrong(asked()[1]) == {"jobs"}
    note_run("totalizator.core.tasks.seal_journal", failed=True, seconds=0.01)
    assert wrong(asked()[1]) == {"jobs"}
    assert asked("selling")[0] == 200


@pytest.mark.django_db
def test_a_database_without_a_migration_of_this_code_is_not_ready() -> None:
    all_is_well()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'pools' AND name = '0005_settlement_kept'")
    assert wrong(asked()[1]) == {"migrations"}
    assert asked("selling")[0] == 503


@pytest.mark.django_db
def test_events_that_wait_a_drifting_clock_and_a_lost_broker_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    all_is_well()
    at = clock.now() - timedelta(seconds=61)
    outbox_models.PendingEvent.objects.create(kind="sales_paused", subject="incident:1", payload={}, at=at)
    assert wrong(asked()[1]) == {"outbox"}
    outbox_models.PendingEvent.objects.all().delete()
    true_time = clock_drift.own_time
    monkeypatch.setattr(clock_drift, "own_time", lambda: true_time() + timedelta(minutes=5))
    assert wrong(asked()[1]) == {"clock"}
    monkeypatch.undo()
    monkeypatch.setattr(broker, "WAIT_SECONDS", 0.2)
    sender.cache_clear()
    with override_settings(CELERY_BROKER_URL="amqp://127.0.0.1:1//"):
        assert wrong(asked()[1]) == {"broker"}


@pytest.mark.django_db
def test_a_broker_whose_database_lacks_its_tables_is_told_and_not_a_fault_of_ours() -> None:
    all_is_well()
    server, _, _name = database_url().rpartition("/")
    sender.cache_clear()
    with override_settings(
        CELERY_BROKER_URL="pgmq" + server.removeprefix("postgresql") + "/postgres",
        CELERY_BROKER_TRANSPORT="totalizator.core.broker:Transport",
        CELERY_BROKER_TRANSPORT_OPTIONS={"conn_string": f"{server}/postgres", "init_extension": False},
    ):
        assert wrong(asked()[1]) == {"broker"}
        metrics = Client().get("/metrics")
    assert (metrics.status_code, "totalizator_broker_up 0.0" in metrics.content.decode()) == (200, True)


@pytest.mark.django_db
def test_a_lost_database_is_answered_and_nothing_of_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> None:
        raise OperationalError("connection to server at 10.0.0.5 failed for user totalizator")

    monkeypatch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", away)
    status, told = asked()
    assert (status, wrong(told)) == (503, NAMES - {"broker"})
    assert "10.0.0.5" not in str(told)


@pytest.mark.django_db
def test_however_many_ask_it_is_looked_at_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look() -> bool:
        looked.append("once")
        return True

    monkeypatch.setitem(health.READY, "database", look)
    for _each in range(5):
        Client().get("/health/ready")
    assert looked == ["once"]
    monkeypatch.setattr(health, "LOOKED_AGAIN_AFTER", 0.0)
    Client().get("/health/ready")
    assert looked == ["once", "once"]


def test_nobody_is_sent_to_https_and_nothing_is_posted() -> None:
    with override_settings(SECURE_SSL_REDIRECT=True):
        assert Client().get("/health/live").status_code == 200
        assert Client().get("/metrics", headers={"authorization": "x"}, REMOTE_ADDR="192.0.2.1").status_code == 404
        assert Client().get("/check/").status_code == 301
    assert Client().post("/health/live").status_code == 405
