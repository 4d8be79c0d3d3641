"""The stack of a checkout: it comes up from nothing and from anything, keeps its rows, and goes away whole.

Everything happens in a copy of the checkout whose path holds a space, with a server of its own.
"""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
OWN_VARIABLES = ("DATABASE", "CELERY", "DJANGO", "TEST_", "TOTALIZATOR", "PYTEST", "PORT", "SECRET_KEY")
NOT_COPIED = (".venv", ".local", ".git", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache")

pytestmark = pytest.mark.xdist_group("local_stack")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project; whatever was started in it is killed at the end, also after a failed test."""
    copy = tmp_path_factory.mktemp("local stack") / "a checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    yield copy
    for number in processes_of(copy):
        os.kill(number, signal.SIGKILL)


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


def stack(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the copy's stack with nothing of our own environment but the packages."""
    command = [sys.executable, "-m", "deploy.local", *arguments]
    return subprocess.run(
        command, cwd=checkout, env=environment(**variables), capture_output=True, text=True, check=False
    )


def environment(**variables: str) -> dict[str, str]:
    """Return our environment without what tells of our own stack, but for the packages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    return {**kept, "TOTALIZATOR_VENV": sys.prefix, **variables}


def assert_done(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def asked(port: int, path: str) -> tuple[int, str]:
    """Ask the running site; return status and body."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request("GET", path)
    answer = link.getresponse()
    return answer.status, answer.read().decode()


def variable(checkout: Path, name: str) -> str:
    """Return a variable that the stack wrote down."""
    lines = (checkout / ".local" / "env").read_text(encoding="utf-8").splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith(f"{name}="))


def owner_url(checkout: Path) -> str:
    return variable(checkout, "DATABASE_OWNER_URL")


def sql(checkout: Path, statement: str, url: str = "") -> str:
    """Run SQL as the owner of the copy's database; return what psql prints."""
    psql = Path(variable(checkout, "PG_BIN")) / "psql"
    command = [str(psql), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, url or owner_url(checkout)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def server_of(checkout: Path) -> int:
    """Return the number of the copy's server as the server itself wrote it."""
    return int((checkout / ".local" / "postgres" / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])


def processes_of(checkout: Path) -> list[int]:
    """Return all living processes that have to do with the copy: by their command line, environment or folder."""
    time.sleep(0.2)
    return [number for number in numbers() if str(checkout) in traces(number)]


def parts_of(checkout: Path, part: str) -> list[int]:
    return [number for number in numbers() if f"TOTALIZATOR_PART={part}@{checkout}\0" in traces(number)]


def numbers() -> list[int]:
    return sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def traces(number: int) -> str:
    """Return what the system knows of a living process: its command line, environment and folder."""
    folder = Path("/proc") / str(number)
    try:
        if ") Z " in (folder / "stat").read_text(errors="replace"):
            return ""
        words = b"\0".join((folder / name).read_bytes() for name in ("cmdline", "environ"))
        return words.decode(errors="replace") + str((folder / "cwd").readlink())
    except OSError:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
