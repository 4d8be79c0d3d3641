"""A copy of the checkout with the whole system running in it, to be killed part by part."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.functional.test_local_stack import assert_done, parts_of, server_of, stack, variable


@dataclass(frozen=True)
class RunningSystem:
    """Database, worker, beat and web of one copy."""

    folder: Path
    port: int

    def start(self) -> None:
        """Start what is down, as a person would after a crash."""
        assert_done(stack(self.folder, "start", PORT=str(self.port)))

    def kill(self, part: str) -> None:
        """`kill -9` every process of a part (`web`, `worker`, `beat`), or the database's server."""
        numbers = [server_of(self.folder)] if part == "database" else parts_of(self.folder, part)
        assert numbers, f"{part} does not run"
        for number in numbers:
            os.kill(number, signal.SIGKILL)

    def act(self, *words: str | int) -> dict[str, Any]:
        """Run an act of the scenario in the copy, with the application's own database role."""
        done = self._python("-m", "tests.faults.scenario", *map(str, words))
        assert_done(done)
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a management command in the copy."""
        return self._python("manage.py", *words)

    def wait(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until the condition holds; fail when it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "nothing moved: " + self._logs()
            time.sleep(0.3)

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "totalizator.settings",
            "DATABASE_URL": variable(self.folder, "DATABASE_URL"),
        }
        return subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def _logs(self) -> str:
        logs = sorted((self.folder / ".local" / "log").glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1_500:]}" for log in logs)
