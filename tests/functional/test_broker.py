"""Each broker with real workers: every task runs, nothing is lost when one is killed, no act is done twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import Celery
from django.core.management import call_command
from django.db import ProgrammingError, connection
from kombu import Connection

from deploy.local.processes import wait_until
from tests.functional.broker_servers import rabbitmq, redis
from totalizator.core.environment import VISIBILITY_SECONDS, broker
from totalizator.core.models import JournalRecord
from totalizator.core.watching.context import speaking_of

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
LONG = 5.0
"""Seconds, more than the visibility timeout of `broker_app`: pgmq and Redis hand the task out again meanwhile."""

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("brokers")]


@contextmanager
def pgmq() -> Iterator[str]:
    """The broker on the test's own database."""
    yield "pgmq" + database_url().removeprefix("postgresql")


ALL = os.environ.get("BROKERS") == "all"
only_when_asked = pytest.mark.skipif(not ALL, reason="RabbitMQ takes its time: `make brokers` tries it")


@pytest.mark.parametrize(
    "served", [pgmq, redis, pytest.param(rabbitmq, marks=only_when_asked)], ids=["pgmq", "redis", "rabbitmq"]
)
def test_c50_every_task_runs_and_every_act_is_done_once(
    served: Callable[[], AbstractContextManager[str]], tmp_path: Path
) -> None:
    with served() as url:
        sending = Sending(url, tmp_path)
        with worker(url, tmp_path) as first:
            sending.act("long", LONG)
            for number in range(10):
                sending.trace(f"task-{number}")
            sending.send("tests.send", str(tmp_path), "sent-by-a-task")
            with speaking_of(request="the-number-of-a-request"):
                sending.trace("asked-for")
            for _delivery in range(2):
                sending.act("twice", 0, task_id="the same message")
            wait_for(tmp_path, *(f"task-{n}" for n in range(10)), "sent-by-a-task", "asked-for", "twice", "long")
            sending.trace("orphan", 60)
            wait_until((tmp_path / "orphan.begun").exists, SECONDS)
            os.kill(int((tmp_path / "orphan.begun").read_text()), signal.SIGKILL)
            wait_for(tmp_path, "orphan")  # the same worker, another process
            sending.act("killed", 60)
            wait_until((tmp_path / "killed.begun").exists, SECONDS)
            os.killpg(first.pid, signal.SIGKILL)
        assert not (tmp_path / "killed.ended").exists()
        assert acts_done() == {"long": 1, "twice": 1}  # what the killed worker was at is undone
        with worker(url, tmp_path):
            wait_for(tmp_path, "killed")
    assert acts_done() == {"long": 1, "twice": 1, "killed": 1}
    assert {name: runs(tmp_path, name) for name in ("twice", "orphan", "killed")} == {
        "twice": 2, "orphan": 2, "killed": 2,
    }  # fmt: skip
    assert [n for n in range(10) if runs(tmp_path, f"task-{n}") != 1] == []
    assert (runs(tmp_path, "long") == 1) == (served is rabbitmq)
    assert (tmp_path / "asked-for.ended").read_text() == "the-number-of-a-request"


@only_when_asked
def test_c51_a_job_that_rabbitmq_does_not_wait_for_is_done_once_all_the_same(tmp_path: Path) -> None:
    with rabbitmq(consumer_timeout=3_000) as url:
        sending = Sending(url, tmp_path)
        with worker(url, tmp_path) as first:
            sending.act("too-long", 8)
            assert wait_until(lambda: first.poll() is not None, SECONDS)  # once the act has ended it gives up
        with worker(url, tmp_path):  # the supervisor starts it again
            wait_for(tmp_path, "too-long")
            sending.trace("after-it")
            wait_for(tmp_path, "after-it")
    assert acts_done() == {"too-long": 1}
    assert runs(tmp_path, "too-long") == 2


def test_c51_rabbitmq_waits_for_the_longest_job() -> None:
    lines = (ROOT / "deploy" / "rabbitmq" / "rabbitmq.conf").read_text(encoding="utf-8").splitlines()
    told = dict(line.split(" = ") for line in lines if " = " in line and not line.startswith("#"))
    assert int(told["consumer_timeout"]) >= 8 * 3_600_000


def test_the_options_of_a_broker_follow_from_its_address() -> None:
    assert broker("amqps://user:pw@host:5671/v") == ("amqps://user:pw@host:5671/v", {"confirm_publish": True})
    for scheme in ("redis", "rediss"):
        url, options = broker(f"{scheme}://host:6379/0")
        assert (url, options["visibility_timeout"]) == (f"{scheme}://host:6379/0", VISIBILITY_SECONDS)
    url, options = broker("pgmq://user:pw@host:5432/name")
    assert (options["conn_string"], options["visibility_timeout"]) == ("postgresql://user:pw@host:5432/name", 15)


def test_a_worker_whose_waiting_processes_were_killed_goes_on(tmp_path: Path) -> None:
    with pgmq() as url, worker(url, tmp_path) as waiting_worker:
        sending = Sending(url, tmp_path)
        sending.trace("before")
        wait_for(tmp_path, "before")
        for number in children_of(waiting_worker.pid):  # the one that waits for the next task holds the others' lock
            os.kill(number, signal.SIGKILL)
        sending.trace("after")
        wait_for(tmp_path, "after")
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
    url, options = broker("pgmq" + database_url().removeprefix("postgresql"))
    transport = "totalizator.core.broker:Transport"
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


class Sending:
    """Sends tasks with the product's own options."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder = str(folder)
        self.url, options = broker(url)
        kind = "quorum" if url.startswith("amqp") else "classic"
        self.app = Celery(
            set_as_current=False, broker_transport_options=options,
            task_default_queue="totalizator", task_default_queue_type=kind,
        )  # fmt: skip

    def send(self, name: str, *arguments: str | float, task_id: str | None = None) -> None:
        """Send one task."""
        with self.app.connection_for_write(self.url) as link:
            self.app.send_task(name, arguments, connection=link, task_id=task_id)

    def trace(self, name: str, first_run_takes: float = 0) -> None:
        """Send a task that leaves a trace."""
        self.send("tests.trace", self.folder, name, first_run_takes)

    def act(self, name: str, first_run_takes: float, task_id: str | None = None) -> None:
        """Send a task that does something once."""
        self.send("tests.act", self.folder, name, first_run_takes, task_id=task_id)


@contextmanager
def worker(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker with two processes on the test's database, a group of its own; killed at the end."""
    program = [sys.executable, "-m", "celery", "--app", "tests.functional.broker_app", "worker", "--concurrency", "2"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    environment = {
        **os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "totalizator.settings",
        "CELERY_BROKER_URL": url,
    }  # fmt: skip
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


def database_url() -> str:
    """Return the address of the database that this test works in."""
    now = connection.settings_dict
    return f"postgresql://{now['USER']}:{now['PASSWORD']}@{now['HOST']}:{now['PORT']}/{now['NAME']}"


def wait_for(folder: Path, *names: str) -> None:
    """Wait until these tasks have ended; fail with the worker's last words when they do not."""
    missing = set(names)

    def all_ended() -> bool:
        missing.intersection_update({name for name in names if not (folder / f"{name}.ended").exists()})
        return not missing

    assert wait_until(all_ended, SECONDS), (missing, (folder / "worker.log").read_text()[-3_000:])


def acts_done() -> dict[str, int]:
    """Count how often each act was done."""
    done = list(JournalRecord.objects.filter(act="tests_act").values_list("subject", flat=True))
    return {name: done.count(name) for name in done}


def runs(folder: Path, name: str) -> int:
    return len((folder / f"{name}.begun").read_text(encoding="utf-8").splitlines())
