"""Copies of a server's files, and a server made of one at an instant: what pgBackRest does in production, in the small.

A copy is whole by itself: it holds the journal of what was written while it was made. With the archive of the journal
it becomes the server of any later instant.
"""

import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from deploy.local.checkout import Checkout, say
from deploy.local.database import read_env
from deploy.local.placement import Placement, place
from deploy.local.postgres import Cluster
from deploy.local.refusal import Refusal

FILES, SCANS = "server", "private"


def back_up_checkout(checkout: Checkout) -> Path:
    """Copy the checkout's own server and the filed scans under `.local/backup`; return the folder.

    :raises Refusal: when the copy cannot be made, or is not what its manifest says.
    """
    cluster = Cluster(checkout, place(checkout))
    if cluster.server() is None:
        raise Refusal("The checkout's own server does not run: make up.")
    folder = checkout.local / "backup" / datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    scans = Path(read_env(checkout).get("PRIVATE_FILES", str(checkout.local / "private")))
    back_up(cluster, folder, scans)
    return folder


def back_up(cluster: Cluster, folder: Path, scans: Path, *, sync: bool = True) -> None:
    """Copy a running server, and then the scans that its rows name: they are written first and never changed.

    `sync` waits until the disk has all of it.

    :raises Refusal: when the copy cannot be made, or is not what its manifest says.
    """
    folder.mkdir(parents=True, mode=0o700)
    cluster.placement.give(folder)
    files = folder / FILES
    words = ["-D", str(files), "-X", "stream", "--checkpoint=fast", "-h", "127.0.0.1", "-p", str(cluster.port)]
    words += [] if sync else ["--no-sync"]
    _run(cluster.placement, ["pg_basebackup", *words, "-U", "postgres"], cluster.password)
    _run(cluster.placement, ["pg_verifybackup", "--quiet", str(files)], "")
    shutil.copyfile(cluster.placement.home / "password", folder / "password")
    (folder / "password").chmod(0o600)
    if scans.exists():
        shutil.copytree(scans, folder / SCANS)


def archiving(archive: Path) -> dict[str, str]:
    """Return the settings with which a server keeps its journal in a folder, each file whole or not at all."""
    return {
        "archive_mode": "on",
        "archive_library": "basic_archive",
        "basic_archive.archive_directory": str(archive),
        "wal_level": "replica",
    }


def restore(
    backup: Path, placement: Placement, checkout: Checkout, archive: Path, at: datetime | None, **settings: str
) -> Cluster:
    """Make a server of a copy in the placement's home and start it: as it was at an instant, or at the archive's end.

    :raises Refusal: when it does not start, or the archive does not reach the instant.
    """
    home = placement.home
    home.mkdir(parents=True)
    shutil.copytree(backup / FILES, home / "data")
    (home / "data").chmod(0o700)
    (home / "data" / "recovery.signal").touch()
    shutil.copyfile(backup / "password", home / "password")
    placement.give(home)
    settings |= {
        "restore_command": f'cp "{archive}/%f" "%p"',
        "recovery_target_action": "promote",
        "recovery_target_timeline": "latest",
    }
    if at is not None:
        settings["recovery_target_time"] = at.isoformat()
    cluster = Cluster(checkout, placement, settings)
    say(f"Restoring {home} to {at.isoformat() if at else 'the end of the archive'} ...")
    cluster.ensure_running()
    return cluster


def _run(placement: Placement, command: Sequence[str], password: str) -> None:
    program, *words = command
    done = subprocess.run(
        placement.command(program, *words), capture_output=True, text=True, check=False, cwd="/",
        env={"PATH": "/usr/bin:/bin", "PGPASSWORD": password}, **placement.identity,
    )  # fmt: skip
    if done.returncode != 0:
        raise Refusal(f"{program}: {done.stderr.strip()}")
