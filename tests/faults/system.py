"""The whole system with files, ports and processes of its own, kept up as an operator's machines keep it up.

A watcher starts what has ended, as systemd does. Between the parts and the database, and between people and the web,
are lines that can be made slow or cut; whoever looks on has a line of its own.
"""

import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from deploy.local.checkout import Checkout
from deploy.local.database import ensure_database, read_env
from deploy.local.placement import place
from deploy.local.postgres import Cluster
from deploy.local.processes import wait_until
from deploy.local.refusal import Refusal
from tests.faults.lines import Line
from tests.faults.looking import Witness
from tests.faults.parts import Part, is_alive, make_parts
from tests.faults.stack import free_port

DATABASE = "database"
WATCH_SECONDS = 0.2
AWAY = (psycopg.Error, OSError)
"""What who looks on meets while the database is away."""


class System:
    """Database, worker, beat and web with their files in `folder`, running the code of `code`.

    `disk` is the volume of the database, when it can be filled.
    """

    def __init__(
        self, folder: Path, code: Path, *, settings: Mapping[str, str] | None = None, disk: Path | None = None
    ) -> None:
        os.environ.setdefault("TOTALIZATOR_VENV", sys.prefix)
        self.code = code
        self.disk = disk
        self.checkout = Checkout(folder)
        self.checkout.local.mkdir(parents=True, exist_ok=True)
        self.cluster = Cluster(self.checkout, place(self.checkout), settings or {})
        self.parts: dict[str, Part] = {}
        self.wanted: set[str] = set()
        self.server: int | None = None
        self._ending = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Start everything, on a database that was made ready."""
        self._start_database()
        port = free_port()
        self.database_line = Line(lambda: self.cluster.port)
        self.onlooker_line = Line(lambda: self.cluster.port)
        self.web_line = Line(lambda: port)
        self.web_port = port
        self.witness = Witness(self.code, self._environment(self.onlooker_line), self.checkout.log("witness"))
        self.parts = make_parts(self.code, self._environment(self.database_line), port, self.checkout.log("web").parent)
        self.wanted = {DATABASE, *self.parts}
        self._watcher.start()
        assert wait_until(self.answers, 60), f"the site does not come up: {self.last_words()}"

    def make_ready(self) -> None:
        """Make the database as `make up` does, and leave it stopped."""
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL"):
            os.environ.pop(name, None)  # it is a database of its own, whatever else there is
        ensure_database(self.checkout)
        self._start_database()
        owner = {**os.environ, **self.variables, "DATABASE_URL": self.variables["DATABASE_OWNER_URL"]}
        command = [sys.executable, "-m", "deploy.local.migration", "--grant"]
        done = subprocess.run(command, cwd=self.code, env=owner, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.cluster.stop()

    def stop(self) -> None:
        """Stop everything."""
        self._ending.set()
        if self._watcher.ident is not None:
            self._watcher.join(90)
        for part in self.parts.values():
            part.kill()
        if self.parts:
            self.witness.stop()
            for line in (self.database_line, self.onlooker_line, self.web_line):
                line.close()
        self.cluster.stop()

    def take_down(self, name: str) -> None:
        """`kill -9` a part, or the database's server, and leave it down until `let_up`."""
        self.wanted.discard(name)
        self.kill(name)

    def let_up(self, name: str) -> None:
        """Let the watcher start it again."""
        self.wanted.add(name)

    def kill(self, name: str) -> None:
        """`kill -9` every process of a part, or the head of the database's server, whose children then end."""
        if name == DATABASE:
            assert self.server is not None
            with suppress(ProcessLookupError):
                os.kill(self.server, 9)
        else:
            self.parts[name].kill()

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run SQL as the superuser; return the rows, if it has any."""
        with self.superuser() as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def superuser(self, role: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """Return a connection past all lines, as the superuser or, with `owner`, as the database's owner."""
        if role == "owner":
            return psycopg.connect(self.variables["DATABASE_OWNER_URL"], autocommit=True, connect_timeout=5)
        return psycopg.connect(
            host="127.0.0.1", port=self.cluster.port, user=role, password=self.cluster.password,
            dbname="totalizator", autocommit=True, connect_timeout=5,
        )  # fmt: skip

    def log_in(self, name: str) -> str:
        """Return the key of a new session of somebody."""
        return str(self.witness.act("logged_in", name=name)["session"])

    def answers(self) -> bool:
        """Tell whether the site shows its first page."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web_port}/", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def until(self, condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Wait until the condition holds. :raises AssertionError: when it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"stuck: {what}: {self.last_words()}"
            time.sleep(0.15)

    def last_words(self) -> str:
        """Return the ends of all logs."""
        logs = sorted(self.checkout.log("web").parent.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-800:]}" for log in logs)

    def _environment(self, line: Line) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TOTALIZATOR_PART")}
        address, _at, rest = self.variables["DATABASE_URL"].rpartition("@")
        through_line = f"{address}@127.0.0.1:{line.port}/{rest.partition('/')[2]}"
        files = str(self.checkout.local / "private")
        return {**kept, **self.variables, "DATABASE_URL": through_line, "PRIVATE_FILES": files}

    def _start_database(self) -> None:
        self.cluster.ensure_running()
        self.server = self.cluster.server()
        self.variables = read_env(self.checkout)

    def _watch(self) -> None:
        while not self._ending.wait(WATCH_SECONDS):
            if DATABASE in self.wanted and not is_alive(self.server):
                self._raise_database()
            for name, part in self.parts.items():
                if name in self.wanted and part.has_ended():
                    part.start()

    def _raise_database(self) -> None:
        """Try to start the server; on a full disk that fails, and is tried again."""
        with suppress(Refusal, OSError):
            self.cluster.ensure_running()
            self.server = self.cluster.server()
