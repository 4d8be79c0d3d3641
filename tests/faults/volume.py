"""The volume that the harness's database lies on, and the made-ready database that each start begins with."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local.processes import wait_until
from tests.faults.stack import ROOT

SIZE = "800m"
SETTINGS = {"max_wal_size": "96MB", "min_wal_size": "48MB", "shared_buffers": "64MB", "max_connections": "60"}
"""The server's settings that fit it, and connections few enough to be used up."""
MADE_OF = ("*/migrations/*.py", "totalizator/core/legal_calendar.py", "constraints.txt")


@contextmanager
def volume(folder: Path) -> Iterator[Path | None]:
    """Have a small volume of its own at `folder`, which can be filled to the last byte; None when that is not allowed.

    It lies in memory: what is killed are processes, and what they have written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _unmount(folder)
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0755", "tmpfs", str(folder)]
    is_own = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not is_own:
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        folder.mkdir()
    try:
        yield folder if is_own else None
    finally:
        wait_until(lambda: _unmount(folder), 10)


def lay_out(folder: Path, kept: Path) -> bool:
    """Lay out the database that was made ready for this code before, if there is one; tell whether there was."""
    file = _file(kept)
    return file.exists() and subprocess.run(["tar", "-C", str(folder), "-xpf", str(file)], check=False).returncode == 0


def keep(folder: Path, kept: Path) -> None:
    """Keep a stopped database that was made ready."""
    for old in kept.glob("ready-*.tar"):
        old.unlink()
    draft = kept / "ready.new"
    subprocess.run(["tar", "-C", str(folder), "-cpf", str(draft), "."], check=True)
    draft.rename(_file(kept))


def _file(kept: Path) -> Path:
    sources = sorted(path for pattern in MADE_OF for path in ROOT.rglob(pattern) if ".venv" not in path.parts)
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    return kept / f"ready-{digest[:16]}.tar"


def _unmount(folder: Path) -> bool:
    """Take the volume away; tell whether none is there."""
    if os.path.ismount(folder):
        subprocess.run(["umount", str(folder)], capture_output=True, check=False)
    return not os.path.ismount(folder)
