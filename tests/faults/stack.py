"""A copy of the checkout, the commands of its stack, and all that was ever started in it."""

import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_VARIABLES = ("DATABASE", "CELERY", "DJANGO", "TEST_", "TOTALIZATOR", "PYTEST", "PORT", "SECRET_KEY")
NOT_COPIED = (".venv", ".local", ".git", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache")


def stack(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the copy's stack with nothing of our own environment but the packages."""
    command = [sys.executable, "-m", "deploy.local", *arguments]
    return subprocess.run(
        command, cwd=checkout, env=environment(**variables), capture_output=True, text=True, check=False
    )


def environment(**variables: str) -> dict[str, str]:
    """Return our environment without what tells of our own stack, but for the packages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    return {**kept, "TOTALIZATOR_VENV": sys.prefix, **variables}


def assert_done(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def asked(port: int, path: str) -> tuple[int, str]:
    """Ask the running site; return status and body."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request("GET", path)
    answer = link.getresponse()
    return answer.status, answer.read().decode()


def variable(checkout: Path, name: str) -> str:
    """Return a variable that the stack wrote down."""
    lines = (checkout / ".local" / "env").read_text(encoding="utf-8").splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith(f"{name}="))


def owner_url(checkout: Path) -> str:
    return variable(checkout, "DATABASE_OWNER_URL")


def sql(checkout: Path, statement: str, url: str = "") -> str:
    """Run SQL as the owner of the copy's database; return what psql prints."""
    psql = Path(variable(checkout, "PG_BIN")) / "psql"
    command = [str(psql), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, url or owner_url(checkout)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def server_of(checkout: Path) -> int:
    """Return the number of the copy's server as the server itself wrote it."""
    return int((checkout / ".local" / "postgres" / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])


def processes_of(checkout: Path) -> list[int]:
    """Return all living processes that have to do with the copy: by their command line, environment or folder."""
    time.sleep(0.2)
    return [number for number in numbers() if str(checkout) in traces(number)]


def parts_of(checkout: Path, part: str) -> list[int]:
    return [number for number in numbers() if f"TOTALIZATOR_PART={part}@{checkout}\0" in traces(number)]


def numbers() -> list[int]:
    return sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def traces(number: int) -> str:
    """Return what the system knows of a living process: its command line, environment and folder."""
    folder = Path("/proc") / str(number)
    try:
        if ") Z " in (folder / "stat").read_text(errors="replace"):
            return ""
        words = b"\0".join((folder / name).read_bytes() for name in ("cmdline", "environ"))
        return words.decode(errors="replace") + str((folder / "cwd").readlink())
    except OSError:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
