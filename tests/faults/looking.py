"""The harness's end of the witness: one process that acts and looks in the database for as long as the system runs."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

AWAY_SECONDS = 60
PAUSE = 0.2


class Witness:
    """Speaks with `tests/faults/witness.py` of the same code, which is past every line that a fault is put on."""

    def __init__(self, code: Path, environment: Mapping[str, str], log: Path) -> None:
        self._lock = threading.Lock()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.witness"], cwd=code, stderr=output, text=True,
                env={**environment, "DJANGO_SETTINGS_MODULE": "totalizator.settings"},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    def act(self, name: str, /, **words: Any) -> dict[str, Any]:
        """Do an act, again while the database is away: each is by state, and can be done twice."""
        deadline = time.monotonic() + AWAY_SECONDS
        while True:
            answer = self._ask(name, words)
            if "away" not in answer:
                return answer
            assert time.monotonic() < deadline, f"stuck: {name}: {answer['away']}"
            time.sleep(PAUSE)

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def _ask(self, name: str, words: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps([name, words]) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        assert line, f"the witness has ended at {name}: see its log"
        answer: dict[str, Any] = json.loads(line)
        assert "fault" not in answer, f"{name}: {answer['fault']}"
        return answer
