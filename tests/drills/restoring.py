"""The restore drill: a server is restored to an instant, and what was published before proves that nothing is missing.

A copy is made between sales, a pool is settled and published, more is sold and published after that; then a second
server is made of the copy and the archived journal, at the instant between.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from filecmp import dircmp
from pathlib import Path

import psycopg

from deploy.local.backups import SCANS, archiving, back_up, restore
from deploy.local.checkout import Checkout
from deploy.local.database import DATABASE, OWNER, ensure_roles
from deploy.local.placement import Placement
from deploy.local.postgres import Cluster
from tests.drills.clerk import Clerk
from tests.drills.ground import ROOT, Ground, ground
from tests.drills.nodes import fill
from tests.drills.site import variables

Say = Callable[[str], None]
NO_SYNC = {"fsync": "off", "shared_buffers": "64MB"}
"""Of a drill's servers: no power fails here, and what is lost with a server is lost with the drill."""


@dataclass(frozen=True)
class Installation:
    """A server, the folder of scans beside it, and a clerk who works on both."""

    cluster: Cluster
    clerk: Clerk

    def publish(self, folder: Path, *pools: str) -> Path:
        """Write what the public gets: keys, log, head, and the bundles of pools."""
        self.clerk.manage("export_keys", str(_made(folder) / "keys.json"))
        self.clerk.manage("export_log", str(folder))
        for pool in pools:
            self.clerk.manage("export_pool", pool, str(folder / pool))
        return folder

    def server(self) -> "psycopg.Connection[tuple[object, ...]]":
        """Connect as the superuser."""
        return psycopg.connect(
            host="127.0.0.1", port=self.cluster.port, user="postgres", password=self.cluster.password,
            dbname=DATABASE, autocommit=True,
        )  # fmt: skip


def drill(folder: Path, source: str, *, bets: int, to_the_end: bool, say: Say) -> None:
    """Run the drill; `to_the_end` restores once more, to the archive's end.

    :raises AssertionError: at the first thing that does not hold.
    """
    with ground(folder) as place:
        archive = _made(place.folder / "archive")
        place.placement.give(archive)
        first = _installation(place, "first", source, archive)
        say(f"A pool with {bets} bets, a copy, {bets} bets more ...")
        pool = first.clerk.act("open_and_sell", bets)["pool"]
        back_up(first.cluster, place.folder / "copy", place.folder / "scans", sync=False)
        first.clerk.act("sell", pool, bets)
        assert first.clerk.act("settle", pool) == "settled"
        before = first.publish(place.folder / "published-before", pool)
        stood, instant = first.clerk.act("tickets"), datetime.fromisoformat(first.clerk.act("server_instant"))
        assert len(stood) == 2 * bets
        say(f"The instant {instant.isoformat()}; after it another pool is sold, closed and committed to in public ...")
        later = first.clerk.act("open_and_sell", bets)["pool"]
        first.clerk.act("close", later)
        after = first.publish(place.folder / "published-after", later)
        _archive_all(first)
        shutil.copytree(place.folder / "scans", place.folder / "copy" / SCANS, dirs_exist_ok=True)

        begun = time.monotonic()
        second = _restored(place, "second", archive, instant)
        say(f"Restored to the instant in {time.monotonic() - begun:.1f} s")
        assert second.clerk.act("tickets") == stood
        _holds(second, before)
        again = second.publish(place.folder / "published-again", pool)
        assert _differences(dircmp(before, again)) == []
        _verify(again, before / "head.json", pool)
        say("What was published before is published again byte for byte, and verifies")
        _seen_to_lack(second, again, after)
        say("That a commitment was published after the instant is detected, here and by anybody who kept its head")
        if to_the_end:
            third = _restored(place, "third", archive, None)
            assert third.clerk.act("tickets") == first.clerk.act("tickets")
            _holds(third, after)
            assert _differences(dircmp(after, third.publish(place.folder / "published-last", later))) == []
            say("Restored to the end of the archive: every bet is there, and what was published last verifies")


def _installation(place: Ground, name: str, source: str, archive: Path) -> Installation:
    """Start a server that keeps its journal, with a migrated database."""
    home = _made(place.folder / name)
    cluster = Cluster(_at(place), replace(place.placement, home=home), {**archiving(archive), **NO_SYNC})
    cluster.placement.give(home)
    cluster.ensure_running()
    owner = "DATABASE_OWNER_URL"
    ensure_roles(cluster, dict.fromkeys((owner, "DATABASE_URL", "DATABASE_AUDITOR_URL"), cluster.password))
    clerk = _clerk(place, name, cluster, place.folder / "scans")
    fill(cluster, source)
    return Installation(cluster, clerk)


def _restored(place: Ground, name: str, archive: Path, at: datetime | None) -> Installation:
    placement: Placement = replace(place.placement, home=place.folder / name)
    cluster = restore(place.folder / "copy", placement, _at(place), archive, at, **NO_SYNC)
    return Installation(cluster, _clerk(place, name, cluster, place.folder / "copy" / SCANS))


def _clerk(place: Ground, name: str, cluster: Cluster, scans: Path) -> Clerk:
    url = f"postgresql://{OWNER}:{cluster.password}@127.0.0.1:{cluster.port}/{DATABASE}"
    return Clerk(place, f"clerk-{name}", **variables(url), PRIVATE_FILES=str(scans))


def _at(place: Ground) -> Checkout:
    return Checkout(place.folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _archive_all(installation: Installation) -> None:
    """Have everything that was written until now in the archive, as `archive_timeout` has within a minute."""
    with installation.server() as server:
        (last,) = server.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone() or ("",)
        deadline = time.monotonic() + 60
        while server.execute("SELECT last_archived_wal >= %s FROM pg_stat_archiver", [last]).fetchone() != (True,):
            assert time.monotonic() < deadline, "the journal is not archived"
            time.sleep(0.05)


def _holds(restored: Installation, kept: Path) -> None:
    """Assert that the restored database is of this code, that its books, journal and log are whole, and scans there."""
    clerk = restored.clerk
    clerk.manage("migrate", "--check")
    for command in (["reconcile_ledger"], ["check_journal"], ["check_filed_files"]):
        said = clerk.manage(*command)
        assert said.startswith("OK"), said
    said = clerk.manage("check_log", "--known", str(kept / "head.json"))
    assert said.startswith("OK"), said


def _differences(compared: "dircmp[str]") -> list[str]:
    """Return the names of all files that are not the same in both folders, or in one only."""
    here = [*compared.left_only, *compared.right_only, *compared.diff_files, *compared.funny_files]
    return here + [f"{name}/{one}" for name, sub in compared.subdirs.items() for one in _differences(sub)]


def _verify(published: Path, kept_head: Path, pool: str) -> None:
    """Assert what anybody can: the pool's bundle verifies, and the log is the one whose head was kept."""
    done = _engine("verify", str(published / pool), "--keys", str(published / "keys.json"))
    assert (done.returncode, done.stdout[:2]) == (0, "OK"), done.stdout + done.stderr
    words = ["--keys", str(published / "keys.json"), "--head", str(kept_head), "--bundle", str(published / pool)]
    done = _engine("verify-log", str(published / "log.jsonl"), *words)
    assert (done.returncode, done.stdout[:2]) == (0, "OK"), done.stdout + done.stderr


def _seen_to_lack(restored: Installation, published: Path, after: Path) -> None:
    """Assert that a database older than a published commitment is called broken by whoever has its head."""
    code, said = restored.clerk.tried("check_log", "--known", str(after / "head.json"))
    assert (code, "BROKEN" in said) == (1, True), said
    words = ["--keys", str(published / "keys.json"), "--head", str(after / "head.json")]
    done = _engine("verify-log", str(published / "log.jsonl"), *words)
    assert done.returncode == 1, done.stdout + done.stderr


def _engine(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "totalizator.engine", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
