"""Where a drill's servers stand: folders, ports, and as whom PostgreSQL's programs run."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from deploy.local.checkout import this_checkout
from deploy.local.placement import ACCOUNTS, NAMESPACE, Placement, find_programs
from deploy.local.postgres import SHARED_MEMORY
from deploy.local.processes import PROC, command_lines, wait_until
from deploy.local.refusal import Refusal

ROOT = Path(__file__).resolve().parents[2]
ROOM = 2_000_000_000
Process = subprocess.Popen[bytes]


@dataclass
class Ground:
    """A folder for one drill; leaving it, every process that was started in it is killed."""

    folder: Path
    placement: Placement
    started: list[Process | subprocess.Popen[str]] = field(default_factory=list)

    @property
    def password(self) -> str:
        """The password of every role of the drill."""
        kept = self.folder / "password"
        if not kept.exists():
            kept.write_text(secrets.token_hex(16), encoding="utf-8")
        return kept.read_text(encoding="utf-8")

    def spawn(
        self, name: str, command: list[str], variables: Mapping[str, str] | None = None, *, placed: bool = False
    ) -> Process:
        """Start a program in the background, its output in NAME.log; `placed`: as whom PostgreSQL's programs run."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1", **(variables or {})}
        with (self.folder / f"{name}.log").open("ab") as output:
            started = subprocess.Popen(
                [*self.placement.prefix, *command] if placed else command,
                cwd="/" if placed else ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, **(self.placement.identity if placed else {}),
            )  # fmt: skip
        self.started.append(started)
        return started

    def log(self, name: str) -> str:
        """Return what a program said."""
        path = self.folder / f"{name}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.started:
            _kill_group(process.pid)
        for number in self._servers():
            for each in (number, *children(number)):
                _kill(each)
        for process in self.started:
            process.wait()
        wait_until(lambda: not list(self._servers()), 10)
        if self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _servers(self) -> Iterator[int]:
        for number, words in command_lines():
            if Path(words[0]).name == "postgres" and any(str(self.folder) in word for word in words):
                yield number


def ground(folder: Path) -> Ground:
    """Lay out a drill in its own folder. :raises Refusal: where PostgreSQL cannot run with our Python beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = find_programs(this_checkout())
    for placement in _placements(programs, folder):
        if placement.works() and _runs(placement):
            return Ground(folder, placement)
    raise Refusal(f"Neither as ourselves nor as {ACCOUNTS} PostgreSQL and {sys.executable} both run in {folder}.")


def new_folder() -> Path:
    """Return a folder for a drill: in memory where there is room, since what dies with a drill needs no disk."""
    roomy = SHARED_MEMORY.exists() and shutil.disk_usage(SHARED_MEMORY).free > ROOM
    return Path(tempfile.mkdtemp(prefix="totalizator-drill-", dir=SHARED_MEMORY if roomy else None))


def server_of(folder: Path) -> int | None:
    """Return the number of the server that works on this folder of files."""
    for number, words in command_lines():
        if Path(words[0]).name == "postgres" and str(folder) in " ".join(words).replace("=", " ").split(" "):
            return number
    return None


def kill_server(folder: Path) -> None:
    """`kill -9` a server and all its processes at once, as a loss of power does. :raises Refusal: when none runs."""
    number = server_of(folder)
    if number is None:
        raise Refusal(f"No server works on {folder}.")
    for each in (number, *children(number)):
        _kill(each)


def children(parent: int) -> list[int]:
    """Return the numbers of a process's children."""
    found = []
    for entry in PROC.iterdir():
        with suppress(OSError, ValueError):
            status = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(status[1]) == parent:
                found.append(int(entry.name))
    return found


def _kill(number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def _kill_group(number: int) -> None:
    """Kill a process that was started with a group of its own, and all that it started in it: web workers, too."""
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)


def _placements(programs: Path, folder: Path) -> Iterator[Placement]:
    if os.geteuid() != 0:
        yield Placement(programs, folder)
        return
    if shutil.which(NAMESPACE[0]):
        yield Placement(programs, folder, prefix=NAMESPACE)
    for account in ACCOUNTS:
        yield Placement(programs, folder, account=account)


def _runs(placement: Placement) -> bool:
    """Tell whether our Python, with its packages, runs as PostgreSQL does: Patroni is such a program."""
    command = [*placement.prefix, sys.executable, "-c", "import patroni"]
    try:
        return subprocess.run(command, cwd="/", capture_output=True, check=False, **placement.identity).returncode == 0
    except OSError:
        return False
