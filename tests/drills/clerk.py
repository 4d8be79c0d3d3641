"""A process beside the site that works on the database of a drill, act by act, and lives through a fail-over.

Run as `python -m tests.drills.clerk`: each line it reads is an act with its words, each line it prints the answer.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

from tests.drills.ground import ROOT, Ground


class Clerk:
    """A clerk's process, seen from the drill."""

    def __init__(self, ground: Ground, name: str, **variables: str) -> None:
        self._name = name
        self._log = (ground.folder / f"{name}.log").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.drills.clerk"],
            cwd=ROOT, env={"PATH": os.environ["PATH"], **variables}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        ground.started.append(self._process)

    def act(self, name: str, *words: str | int) -> Any:
        """Have an act done. :raises RuntimeError: with its fault when it fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *words]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The clerk {self._name} is gone: {self._log.name}")
        answer = json.loads(line)
        if "fault" in answer:
            raise RuntimeError(f"{name}: {answer['fault']}")
        return answer["done"]

    def manage(self, *words: str) -> str:
        """Run a management command; return what it says. :raises RuntimeError: when it does not end with 0."""
        code, said = self.tried(*words)
        if code:
            raise RuntimeError(f"{words}: {said}")
        return said

    def tried(self, *words: str) -> tuple[int, str]:
        """Run a management command; return its exit code and what it says."""
        code, said = self.act("manage", *words)
        return code, said


def manage(command: str, *words: str) -> tuple[int, str]:
    """Run a management command as `manage.py` does."""
    from django.core.management import CommandError, call_command

    said, code = StringIO(), 0
    try:
        call_command(command, *words, stdout=said, stderr=said)
    except SystemExit as end:
        code = int(end.code or 0)
    except CommandError as fault:
        return 1, said.getvalue() + str(fault)
    return code, said.getvalue()


def serve() -> None:
    """Do what is asked until nobody asks any more."""
    import django

    django.setup()
    from django.db import close_old_connections

    from tests.drills.acts import ACTS

    known: dict[str, Callable[..., Any]] = {**ACTS, "manage": manage}
    for line in sys.stdin:
        name, *words = json.loads(line)
        close_old_connections()
        try:
            answer = {"done": known[name](*words)}
        except Exception as fault:  # noqa: BLE001 - whatever it is, the drill is told
            answer = {"fault": repr(fault)}
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    serve()
