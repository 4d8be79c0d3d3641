"""The bundle of a pool against a bare Python and against itself."""

import json
import subprocess
import sys
from pathlib import Path

from tests.faults.stack import ROOT


def verdict_on(folder: Path) -> list[str]:
    """Verify `bundle` with `keys.json`; return what does not hold."""
    done = subprocess.run(
        [sys.executable, "-m", "totalizator.engine", "verify", "bundle", "--keys", "keys.json"],
        cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0 or not done.stdout.startswith("OK"):
        return [f"bundle: {done.stdout}{done.stderr}"]
    winnings = json.loads((folder / "bundle" / "statement.json").read_text())["winnings"]
    rows = (folder / "bundle" / "winnings.csv").read_text().splitlines()[1:]
    total = sum(int(row.rpartition(",")[2]) for row in rows)
    return [] if total == winnings else [f"bundle: winnings of {total}, and the statement says {winnings}"]
