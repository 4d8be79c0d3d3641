"""The life of the checkout's own PostgreSQL: made once, started when it is down, stopped on demand.

The server is found by its command line, never by the number in `postmaster.pid`: after a crash or a reboot that
number may belong to anybody.
"""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.checkout import Checkout, last_line, say
from deploy.local.placement import Placement
from deploy.local.prerequisites import free_port, port_is_free
from deploy.local.processes import command_lines, wait_until
from deploy.local.refusal import Refusal

RETRY_SECONDS = 60
RECOVERY_SECONDS = 600
STOP_SECONDS = 15
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only measured
ROOMY = 1_000_000_000


@dataclass(frozen=True)
class Cluster:
    """One PostgreSQL cluster on 127.0.0.1, its files under the placement's home."""

    checkout: Checkout
    placement: Placement
    settings: Mapping[str, str] = field(default_factory=dict)
    """The server's settings that differ from the usual ones."""

    @property
    def folder(self) -> Path:
        """The cluster's own folder (PGDATA)."""
        return self.placement.home / "data"

    @property
    def password(self) -> str:
        """The superuser's password."""
        return (self.placement.home / "password").read_text(encoding="utf-8")

    @property
    def port(self) -> int:
        """The port chosen for this checkout."""
        return int((self.placement.home / "port").read_text(encoding="utf-8"))

    def server(self) -> int | None:
        """Return the number of the running server's process, or None; its children go by other names."""
        for number, arguments in command_lines():
            if arguments[1:3] == ["-D", str(self.folder)] and Path(arguments[0]).name == "postgres":
                return number
        return None

    def ensure_running(self) -> None:
        """Make the cluster if it is missing, and start it if it is down. :raises Refusal: when it does not start."""
        if not self.folder.exists():
            self._make()
        begun = time.monotonic()
        while not self._is_ready():
            if self.server() is None:
                if time.monotonic() - begun > RETRY_SECONDS:
                    raise self._unwilling()
                self._start()
            if not wait_until(lambda: self._is_ready() or self.server() is None, RECOVERY_SECONDS):
                raise self._unwilling()

    def stop(self) -> bool:
        """Stop the server: gently, then at once, then by force; tell whether there was one to stop."""
        number = self.server()
        if number is None:
            return False
        for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if self.server() == number:
                os.kill(number, how)
            if wait_until(lambda: self.server() != number, STOP_SECONDS):
                return True
        raise Refusal(f"PostgreSQL (process {number}) does not stop, not even when killed: its disk may hang.")

    def _make(self) -> None:
        """Make the cluster beside its final name, so that a half-made one is never taken for a whole one."""
        say("Making the database cluster ...")
        home = self.placement.home
        draft, password = home / "data.new", home / "password"
        subprocess.run(["rm", "-rf", str(draft)], check=True)
        draft.mkdir(mode=0o700)
        password.touch(mode=0o600)
        password.write_text(secrets.token_hex(16), encoding="utf-8")
        self.placement.give(home)
        options = ["--username=postgres", "--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8"]
        command = self.placement.command("initdb", *options, *self._locale(), "--no-instructions", "-D", str(draft))
        log = self.checkout.log("initdb")
        if self._run(command, log).wait() != 0:
            raise Refusal(f"PostgreSQL cannot make its files ({last_line(log)}); see {log}.")
        draft.rename(self.folder)

    def _locale(self) -> list[str]:
        version = subprocess.run(
            self.placement.command("postgres", "--version"),
            capture_output=True, text=True, check=True, cwd="/", **self.placement.identity,
        )  # fmt: skip
        if int(version.stdout.split()[2].split(".")[0]) >= 18:
            return ["--locale-provider=builtin", "--builtin-locale=PG_UNICODE_FAST", "--locale=C"]
        return ["--locale=C.UTF-8"]

    def _start(self) -> None:
        """Start the server once; it may end at once, as long as a killed forerunner's children live."""
        self._choose_port()
        self._disown_reused_number()
        if self.folder.stat().st_uid != self._run_uid():
            self.placement.give(self.placement.home)
        settings = {
            "listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": "",
            "max_connections": "200", "shared_buffers": "256MB", "max_wal_size": "4GB", "timezone": "UTC",
            "log_timezone": "UTC", "log_line_prefix": "%m [%p] %q%u@%d ", "dynamic_shared_memory_type": _memory(),
            **self.settings,
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = self.placement.command("postgres", "-D", str(self.folder), *options)
        server = self._run(command, self.checkout.log("postgres"))
        wait_until(lambda: self.server() == server.pid or server.poll() is not None, RETRY_SECONDS)
        if server.poll() is not None:
            time.sleep(0.2)

    def _unwilling(self) -> Refusal:
        log = self.checkout.log("postgres")
        return Refusal(f"PostgreSQL does not start ({last_line(log)}); see {log}.")

    def _run(self, command: list[str], log: Path) -> subprocess.Popen[bytes]:
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"}
        with log.open("ab") as output:
            return subprocess.Popen(
                command, cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, **self.placement.identity,
            )  # fmt: skip

    def _run_uid(self) -> int:
        user = self.placement.identity.get("user", os.geteuid())
        return int(user)

    def _choose_port(self) -> None:
        """Keep the port of last time unless another program has taken it meanwhile."""
        kept = self.placement.home / "port"
        if not kept.exists() or not port_is_free(self.port):
            kept.write_text(str(free_port()), encoding="utf-8")

    def _pid_lines(self) -> list[str]:
        try:
            return (self.folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def _is_ready(self) -> bool:
        """Tell whether this server says so: a killed forerunner's note says it too until the new one is written."""
        lines, server = self._pid_lines(), self.server()
        return len(lines) > 7 and lines[7].strip() == "ready" and lines[0].strip() == str(server)

    def _disown_reused_number(self) -> None:
        """Write our own number into a dead server's `postmaster.pid`.

        The server refuses to start while the noted number lives, although it may be anybody's by now; its parent's
        number it passes over. The rest of the file must stay: by it the server sees a forerunner's living children.
        """
        lines = self._pid_lines()
        note = self.folder / "postmaster.pid"
        if lines:
            note.write_text("\n".join([str(os.getpid()), *lines[1:], ""]), encoding="utf-8")
        else:
            note.unlink(missing_ok=True)


def _memory() -> str:
    """Prefer shared memory; a container's may be too small for a parallel query, then use mapped files."""
    if not SHARED_MEMORY.exists():
        return "mmap"
    state = os.statvfs(SHARED_MEMORY)
    return "posix" if state.f_frsize * state.f_bavail >= ROOMY else "mmap"
