"""Brokers as processes of a test's own: Redis or Valkey, RabbitMQ; on free ports, in a folder that goes away."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.local.prerequisites import free_port
from deploy.local.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
SECONDS = 60


def program(*names: str) -> str:
    """Return the first of these programs that there is; without it the test is skipped, but not where CI decides."""
    for name in names:
        found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        if found:
            return found
    lack = f"no {' or '.join(names)} on this machine"
    if os.environ.get("CI"):
        pytest.fail(lack)
    pytest.skip(lack)


@contextmanager
def redis() -> Iterator[str]:
    """Run Redis or Valkey with its append-only file, and yield its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        words = ["--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"]
        with running([program("valkey-server", "redis-server"), *words], Path(folder), {}, port):
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def rabbitmq(consumer_timeout: int | None = None) -> Iterator[str]:
    """Run RabbitMQ as deploy/rabbitmq says, or with another time for a task in milliseconds, and yield its address."""
    program("rabbitmq-server")
    port, distribution, names = free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        told = (ROOT / "deploy" / "rabbitmq" / "rabbitmq.conf").read_text(encoding="utf-8").splitlines()
        kept = [line for line in told if "disk_free" not in line]  # the machine of a test may be small
        (folder / "advanced.config").write_text("[].\n")
        if consumer_timeout is not None:
            kept = [line for line in kept if "consumer_timeout" not in line] + [
                f"consumer_timeout = {consumer_timeout}"
            ]
            (folder / "advanced.config").write_text(
                "[{rabbit, [{channel_tick_interval, 1000}]}].\n"
            )  # looks each second
        (folder / "rabbitmq.conf").write_text("\n".join([*kept, f"listeners.tcp.1 = 127.0.0.1:{port}", ""]))
        (folder / "plugins").write_text("[].\n")
        environment = {
            "HOME": place,
            "ERL_EPMD_PORT": str(names),
            "RABBITMQ_NODENAME": "test@localhost",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_NODE_IP_ADDRESS": "",
            "RABBITMQ_NODE_PORT": "",
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": place,
            "RABBITMQ_LOG_BASE": place,
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(folder / "number"),
        }
        try:
            with running([str(RABBITMQ)], folder, environment, port):
                yield f"amqp://guest:guest@127.0.0.1:{port}//"
        finally:
            assert wait_until(lambda: _names_are_gone(names), SECONDS)


def _names_are_gone(port: int) -> bool:
    """End the server of names that RabbitMQ leaves behind; it wants to have seen its last node go."""
    subprocess.run(["epmd", "-kill"], env={**os.environ, "ERL_EPMD_PORT": str(port)}, capture_output=True, check=False)
    return not listens(port)


@contextmanager
def running(command: list[str], folder: Path, environment: dict[str, str], port: int) -> Iterator[None]:
    """Run a server in a group of its own until the block ends; it is ready when it listens."""
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd="/", env={**os.environ, **environment}, stdout=log, stderr=log, start_new_session=True
        )
    try:
        up = wait_until(lambda: listens(port) or process.poll() is not None, SECONDS)
        assert up and listens(port), (folder / "server.log").read_text(errors="replace")[:3_000]  # noqa: PT018
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
