"""The stack of a checkout: it comes up from nothing and from anything, keeps its rows, and goes away whole.

Everything happens in a copy of the checkout whose path holds a space, with a server of its own.
"""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.processes import wait_until
from tests.faults.stack import (
    asked,
    assert_done,
    environment,
    free_port,
    owner_url,
    parts_of,
    processes_of,
    server_of,
    sql,
    stack,
)

pytestmark = pytest.mark.xdist_group("local_stack")


def test_up_twice_keeps_everything_as_it_is(checkout: Path) -> None:
    assert_done(stack(checkout, "up"))
    first = (checkout / ".local" / "env").read_text(encoding="utf-8")
    server = server_of(checkout)
    assert_done(stack(checkout, "up"))
    assert (checkout / ".local" / "env").read_text(encoding="utf-8") == first
    assert server_of(checkout) == server
    assert (checkout / ".local" / "env").stat().st_mode & 0o777 == 0o600


def test_rows_survive_a_killed_server(checkout: Path) -> None:
    assert_done(stack(checkout, "up"))
    sql(checkout, "CREATE TABLE survivors (n int); INSERT INTO survivors SELECT generate_series(1, 1000)")
    server = server_of(checkout)
    os.kill(server, signal.SIGKILL)
    assert_done(stack(checkout, "up"))
    assert server_of(checkout) != server
    assert sql(checkout, "SELECT count(*), sum(n) FROM survivors") == "1000|500500"
    sql(checkout, "DROP TABLE survivors")


def test_a_number_that_another_program_has_now_is_left_alone(checkout: Path) -> None:
    assert_done(stack(checkout, "up"))
    assert_done(stack(checkout, "stop"))
    with subprocess.Popen(["sleep", "600"]) as stranger:
        try:
            note = checkout / ".local" / "postgres" / "data" / "postmaster.pid"
            note.write_text(f"{stranger.pid}\n", encoding="utf-8")
            assert_done(stack(checkout, "up"))
            assert_done(stack(checkout, "stop"))
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_parts_come_up_and_stop_leaves_no_process(checkout: Path) -> None:
    port = free_port()
    assert_done(stack(checkout, "start", PORT=str(port)))
    assert {part for part in ("worker", "beat", "web") if parts_of(checkout, part)} == {"worker", "beat", "web"}
    assert wait_until(lambda: asked(port, "/health/ready")[0] == 200, 30), asked(port, "/health/ready")
    counted = asked(port, "/metrics")[1]  # of the web's processes, and of the worker's by their notes
    assert 'totalizator_requests_total{method="GET",status="200",view="health_ready"}' in counted
    assert 'totalizator_jobs_run_total{job="totalizator.core.tasks.seal_journal"}' in counted
    for part in ("worker", "web"):
        os.kill(min(parts_of(checkout, part)), signal.SIGKILL)  # the oldest is the head of the others
    assert_done(stack(checkout, "start", PORT=str(port)))
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    os.kill(min(parts_of(checkout, "worker")), signal.SIGKILL)
    assert_done(stack(checkout, "stop"))
    assert processes_of(checkout) == []


def test_a_port_in_use_is_one_sentence_and_changes_nothing(checkout: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = stack(checkout, "start", PORT=str(port))
    assert done.returncode == 1
    assert done.stderr.startswith(f"start: Port {port} is in use by another program:")
    assert done.stderr.count("\n") == 1
    assert [part for part in ("worker", "beat", "web") if parts_of(checkout, part)] == []


def test_what_a_killed_command_left_is_cleared_away_by_the_next_one(checkout: Path) -> None:
    slow = checkout / "tests" / "test_slow.py"
    slow.write_text("import time\n\n\ndef test_slow() -> None:\n    time.sleep(600)\n", encoding="utf-8")
    command = [sys.executable, "-m", "deploy.local", "test", str(slow)]
    with subprocess.Popen(command, cwd=checkout, env=environment(), stdout=subprocess.DEVNULL) as killed:
        assert wait_until(lambda: len(parts_of(checkout, "test")) == 1, 60)
        killed.kill()
    orphan = parts_of(checkout, "test")
    assert len(orphan) == 1
    slow.write_text("def test_quick() -> None:\n    assert True\n", encoding="utf-8")
    done = stack(checkout, "test", str(slow))
    assert_done(done)
    assert "1 passed" in done.stdout
    assert parts_of(checkout, "test") == []


def test_an_exported_database_is_used_and_no_server_started(checkout: Path) -> None:
    assert_done(stack(checkout, "up"))
    sql(checkout, "CREATE DATABASE elsewhere")
    other = owner_url(checkout).rpartition("/")[0] + "/elsewhere"
    env = (checkout / ".local" / "env").read_text(encoding="utf-8")
    done = stack(checkout, "up", DATABASE_URL=other)
    assert_done(done)
    assert "/elsewhere" in done.stderr
    assert sql(checkout, "SELECT count(*) FROM django_migrations WHERE app = 'pools'", url=other) != "0"
    assert (checkout / ".local" / "env").read_text(encoding="utf-8") == env


def test_an_exported_database_that_does_not_answer_is_one_sentence(checkout: Path) -> None:
    done = stack(checkout, "up", DATABASE_URL=f"postgresql://somebody@127.0.0.1:{free_port()}/something")
    assert done.returncode == 1
    assert done.stderr.startswith("up: The database of DATABASE_URL does not answer: ")
    assert done.stderr.count("\n") == 1
