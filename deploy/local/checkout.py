"""Where the things of one checkout are kept."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checkout:
    """One working copy of the project and the folders that the local stack keeps in it."""

    root: Path

    @property
    def local(self) -> Path:
        """Everything the stack makes, except the virtual environment."""
        return self.root / ".local"

    @property
    def venv(self) -> Path:
        """The virtual environment; TOTALIZATOR_VENV lends another one, which is then used as it is."""
        return Path(os.environ.get("TOTALIZATOR_VENV") or self.root / ".venv")

    @property
    def python(self) -> Path:
        """The interpreter that has the pinned packages."""
        return self.venv / "bin" / "python"

    @property
    def env_file(self) -> Path:
        """KEY=VALUE lines read by the settings when a variable is not exported."""
        return self.local / "env"

    def log(self, name: str) -> Path:
        """Return the log file of a part and make its folder."""
        folder = self.local / "log"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.log"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the checkout's lock, so that two commands never set up the same things at once."""
        self.local.mkdir(exist_ok=True)
        with (self.local / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def say(sentence: str) -> None:
    """Tell a person how far we are, beside whatever the command itself has to print."""
    print(sentence, file=sys.stderr, flush=True)


def this_checkout() -> Checkout:
    """Return the checkout that this very file belongs to."""
    return Checkout(Path(__file__).resolve().parents[2])


def last_line(path: Path, beginning: str = "") -> str:
    """Return the last line of a log that says something, of those with this beginning if there are any."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["the log is empty"]
    return next((line for line in reversed(lines) if line.startswith(beginning)), lines[-1])
