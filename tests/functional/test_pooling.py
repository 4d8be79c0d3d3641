"""PgBouncer, handing connections out by the transaction: a day behind it, and what would not work there."""

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.architecture.sources import ROOT, python_files
from tests.functional.pooler import POOL, pgbouncer
from tests.functional.test_broker import database_url
from totalizator.core import environment

HELD_BY_THE_SESSION = re.compile(
    r"pg_(?:try_)?advisory_lock(?:_shared)?\(|\bLISTEN \w|\bWITH HOLD\b|\bSET SESSION\b"
    r"|CREATE TEMP(?:ORARY)? TABLE(?!.*ON COMMIT DROP)"
)
IN_PLACES = {"payouts/management/demo/alone.py": "the demonstration, which is given a connection of its own"}


@pytest.mark.django_db(transaction=True)
def test_a_day_behind_a_pooler_is_as_any_other() -> None:
    with pgbouncer() as url:
        for_the_broker = "pgmq" + database_url().removeprefix("postgresql")
        variables = {
            **os.environ, "DATABASE_URL": url, "DATABASE_POOLED": "1", "CELERY_BROKER_URL": for_the_broker,
            "DATABASE_OWNER_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings",
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.functional.pooled_day"]
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3_000:]
        assert json.loads(done.stdout.splitlines()[-1]) == {
            "bets": 96, "refusals": 8, "exported": 96, "players": 8, "states": ["settled", "cancelled"],
            "locks": [True, False], "broken": [],
            "session": {
                "jit": "off", "lock_timeout": "5s", "plan_cache_mode": "force_generic_plan", "TimeZone": "UTC",
            },
        }  # fmt: skip
        what_the_settings_avoid(url)


def what_the_settings_avoid(url: str) -> None:
    """Without them: words at the start are refused, and a prepared statement is lost with its connection."""
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
        psycopg.connect(url, options="-c jit=off")
    lost = (psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement)
    with ExitStack() as links, pytest.raises(lost):
        prepare_on_several([links.enter_context(psycopg.connect(url, autocommit=True)) for _ in range(POOL)])


def prepare_on_several(clients: list[psycopg.Connection]) -> None:
    """Prepare the first statement of each: one after the other they are handed the same session of the server."""
    for client in clients:
        client.execute("SELECT 1 + %s", [1], prepare=True)


def test_nothing_is_held_by_a_session_beyond_its_transaction() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in python_files("accounts", "payouts", "pools", "totalizator")
        if HELD_BY_THE_SESSION.search(path.read_text(encoding="utf-8"))
    }
    assert found == set(IN_PLACES)
    assert HELD_BY_THE_SESSION.search("SELECT pg_advisory_lock(1)")
    assert not HELD_BY_THE_SESSION.search("SELECT pg_advisory_xact_lock(1)")


def test_the_broker_never_shares_the_pooler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "POOLED", True)
    monkeypatch.setattr(environment, "PREPARED", False)
    with pytest.raises(ImproperlyConfigured, match="CELERY_BROKER_URL is not set"):
        environment.broker("")
    assert environment.database("postgresql://u:p@h:6432/n")["OPTIONS"] == {}
    monkeypatch.setattr(environment, "POOLED", False)
    told = environment.database("postgresql://u:p@h:5432/n")["OPTIONS"]["options"]
    assert told == "-c jit=off -c lock_timeout=5s -c plan_cache_mode=force_generic_plan"
