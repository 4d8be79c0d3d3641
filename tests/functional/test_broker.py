"""The broker on PostgreSQL, with real workers: nothing is lost when one of them is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import Celery
from django.core.management import call_command
from django.db import ProgrammingError, connection
from kombu import Connection

from deploy.local.processes import wait_until
from totalizator.core.environment import broker as broker_options

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30

pytestmark = pytest.mark.django_db(transaction=True)


def test_tasks_run_once_each(tmp_path: Path) -> None:
    with worker(tmp_path):
        for number in range(20):
            send_task("tests.trace", (str(tmp_path), f"task-{number}", 0))
        send_task("tests.send", (str(tmp_path), "sent-by-a-task"))
        assert wait_until(lambda: len(list(tmp_path.glob("*.ended"))) == 21, SECONDS)
        assert wait_until(lambda: waiting() == 0, SECONDS)
    assert {path.name: runs(path) for path in tmp_path.glob("*.begun") if runs(path) != 1} == {}


def test_a_task_whose_worker_was_killed_runs_again(tmp_path: Path) -> None:
    with worker(tmp_path) as first:
        send_task("tests.trace", (str(tmp_path), "task", 60))
        assert wait_until((tmp_path / "task.begun").exists, SECONDS)
        os.killpg(first.pid, signal.SIGKILL)
    assert not (tmp_path / "task.ended").exists()
    assert waiting() == 1
    with worker(tmp_path):
        assert wait_until((tmp_path / "task.ended").exists, SECONDS)
        assert wait_until(lambda: waiting() == 0, SECONDS)
    assert runs(tmp_path / "task.begun") == 2


def test_a_task_whose_process_was_killed_runs_again_under_the_same_worker(tmp_path: Path) -> None:
    with worker(tmp_path):
        send_task("tests.trace", (str(tmp_path), "task", 60))
        assert wait_until(lambda: (tmp_path / "task.begun").exists() and runs(tmp_path / "task.begun") == 1, SECONDS)
        os.kill(int((tmp_path / "task.begun").read_text(encoding="utf-8")), signal.SIGKILL)
        assert wait_until((tmp_path / "task.ended").exists, SECONDS)
        assert wait_until(lambda: waiting() == 0, SECONDS)
    assert runs(tmp_path / "task.begun") == 2


def test_a_worker_whose_waiting_processes_were_killed_goes_on(tmp_path: Path) -> None:
    with worker(tmp_path) as waiting_worker:
        send_task("tests.trace", (str(tmp_path), "before", 0))
        assert wait_until((tmp_path / "before.ended").exists, SECONDS)
        for number in children_of(waiting_worker.pid):  # the one that waits for the next task holds the others' lock
            os.kill(number, signal.SIGKILL)
        send_task("tests.trace", (str(tmp_path), "after", 0))
        assert wait_until((tmp_path / "after.ended").exists, SECONDS)
        assert waiting_worker.poll() is None, "it is the same process"
        assert len(children_of(waiting_worker.pid)) == 2
        waiting_worker.terminate()
        assert waiting_worker.wait(SECONDS) == 0, "it still ends when it is asked to"


def children_of(number: int) -> list[int]:
    """Return the living processes that a process has started."""
    words = (Path("/proc") / str(number) / "task" / str(number) / "children").read_text(encoding="utf-8").split()
    states = {word: (Path("/proc") / word / "stat").read_text(encoding="utf-8").rpartition(")")[2] for word in words}
    return [int(word) for word, state in states.items() if state.split()[0] != "Z"]


def test_acknowledgements_that_are_lost_do_not_count_as_work() -> None:
    url, transport, options = broker_options("pgmq" + database_url().removeprefix("postgresql"))
    with Connection(url, transport=transport, transport_options=options) as link, link.channel() as opened:
        channel: Any = opened
        channel.basic_qos(prefetch_count=2)
        queue = link.SimpleQueue("lost_acknowledgements", channel=channel)
        for number in range(3):
            queue.put(number)
        taken = [queue.get_nowait(), queue.get_nowait()]
        assert not channel.qos.can_consume()
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE pgmq.q_lost_acknowledgements RENAME TO q_away")
        for message in taken:
            with pytest.raises(psycopg.Error):
                message.ack()
        assert channel.qos.can_consume_max_estimate() == 2
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE pgmq.q_away RENAME TO q_lost_acknowledgements")
        last = queue.get_nowait()
        assert last.payload == 2
        last.ack()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pgmq.q_lost_acknowledgements")
            assert cursor.fetchone() == (2,), "what was not acknowledged comes again"
            cursor.execute("SELECT pgmq.drop_queue('lost_acknowledgements')")


def test_the_application_role_makes_queues_but_no_tables_of_its_own() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'totalizator_app')")
        if cursor.fetchone() == (False,):
            pytest.skip("this server has no role totalizator_app")
        call_command("grant_app_role")
        cursor.execute("SET ROLE totalizator_app")
        try:
            cursor.execute("SELECT pgmq.create('of_the_application')")
            cursor.execute("""SELECT * FROM pgmq.send('of_the_application', '{"a": 1}')""")
            cursor.execute("SELECT message ->> 'a' FROM pgmq.read('of_the_application', 5, 1)")
            assert cursor.fetchall() == [("1",)]
            cursor.execute("SELECT pgmq.drop_queue('of_the_application')")
            with pytest.raises(ProgrammingError, match="permission denied for schema public"):
                cursor.execute("CREATE TABLE public.of_the_application ()")
        finally:
            cursor.execute("RESET ROLE")


@contextmanager
def worker(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker with two processes on the test's database, a group of its own; killed at the end."""
    program = [sys.executable, "-m", "celery", "--app", "tests.functional.broker_app", "worker", "--concurrency", "2"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    environment = {**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "totalizator.settings"}
    environment.pop("CELERY_BROKER_URL", None)
    with (folder / "worker.log").open("ab") as log:
        process = subprocess.Popen(
            [*program, *quiet], cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def send_task(name: str, arguments: tuple[str | float, ...]) -> None:
    """Send a task to the test's database, with the product's own options."""
    url, transport, options = broker_options("pgmq" + database_url().removeprefix("postgresql"))
    app = Celery(
        set_as_current=False,
        broker_transport=transport,
        broker_transport_options=options,
        task_default_queue="totalizator",
    )
    with app, app.connection_for_write(url) as broker:
        app.send_task(name, arguments, connection=broker)


def database_url() -> str:
    """Return the address of the database that this test works in."""
    now = connection.settings_dict
    return f"postgresql://{now['USER']}:{now['PASSWORD']}@{now['HOST']}:{now['PORT']}/{now['NAME']}"


def waiting() -> int:
    """Count the tasks that have not been acknowledged."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pgmq.q_totalizator")
        return int(cursor.fetchone()[0])


def runs(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())
