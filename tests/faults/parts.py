"""Worker, beat and web as processes that can be killed whole or in part, and looked at."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local import parts

QUICK_BEAT = ("-m", "celery", "--app", "tests.faults.quick_beat", "beat", "--loglevel", "INFO")


@dataclass
class Part:
    """One part: a head and the processes that it has started, all of one group."""

    name: str
    code: Path
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    extra: dict[str, str] = field(default_factory=dict)
    """What its next start has in its environment besides."""
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, after the remains of what it was before."""
        self.kill()
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, cwd=self.code, env={**self.environment, **self.extra}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip

    def has_ended(self) -> bool:
        """Tell whether its head is gone."""
        return self.process is None or self.process.poll() is not None

    def numbers(self) -> list[int]:
        """Return the living processes, its head first."""
        if self.process is None or self.has_ended():
            return []
        return [self.process.pid, *children_of(self.process.pid)]

    def kill(self) -> None:
        """`kill -9` all of it."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def make_parts(code: Path, environment: Mapping[str, str], port: int, folder: Path) -> dict[str, Part]:
    """Return the parts as the stack starts them, but beat with the short breath."""
    commands = parts.commands(port, folder / "beat")
    commands["beat"] = [*QUICK_BEAT, *commands["beat"][-2:]]
    return {
        name: Part(name, code, [sys.executable, *command], environment, folder / f"{name}.log")
        for name, command in commands.items()
    }


def children_of(number: int) -> list[int]:
    """Return all processes that a process has started, and those that they have."""
    try:
        words = (Path("/proc") / str(number) / "task" / str(number) / "children").read_text()
    except OSError:
        return []
    return [found for child in map(int, words.split()) for found in (child, *children_of(child))]


def is_alive(number: int | None) -> bool:
    """Tell whether a process runs; one that has ended and was not asked for yet does not."""
    try:
        return ") Z " not in (Path("/proc") / str(number) / "stat").read_text(errors="replace")
    except OSError:
        return False
