"""A connection that is kept for the next request is asked whether it works when it has lain idle, or stirs."""

import select
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from totalizator.core.postgresql import base

pytestmark = pytest.mark.django_db
WORK = "SELECT 'what a request asks'"


@pytest.fixture
def kept() -> Iterator[Any]:
    """A connection of its own, as a thread of the web server has it, that has answered one request."""
    wrapper: Any = connection.copy()
    wrapper.settings_dict = {**wrapper.settings_dict, "CONN_HEALTH_CHECKS": True, "CONN_MAX_AGE": 60}
    with wrapper.cursor() as cursor:
        cursor.execute(WORK)
    wrapper.close_if_unusable_or_obsolete()
    yield wrapper
    wrapper.close()


def process_of(wrapper: Any) -> int:
    return int(wrapper.connection.info.backend_pid)


def last_asked(wrapper: Any) -> str:
    """The last statement that the server had on that connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [process_of(wrapper)])
        (text,) = cursor.fetchone()
    return str(text)


def test_one_that_worked_a_moment_ago_is_not_asked(kept: Any) -> None:
    kept.close_if_health_check_failed()
    assert kept.health_check_done
    assert last_asked(kept) == WORK


def test_one_that_lay_idle_is_asked(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "ASKED_AGAIN_AFTER", 0.0)
    kept.close_if_health_check_failed()
    assert last_asked(kept) == "SELECT 1"


def test_one_that_failed_is_asked_however_lately_it_worked(kept: Any) -> None:
    kept.errors_occurred = True
    assert kept.is_usable()
    assert last_asked(kept) == "SELECT 1"


def test_one_that_the_server_ended_is_replaced_at_once(kept: Any) -> None:
    ended = process_of(kept)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [ended])
    assert select.select([kept.connection.fileno()], [], [], 10)[0], "the server says so on the connection"
    with kept.cursor() as cursor:
        cursor.execute(WORK)
        assert cursor.fetchone() == ("what a request asks",)
    assert process_of(kept) != ended
