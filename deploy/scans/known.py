"""What scans find, and somebody has looked at: each with the reason why it may stand."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("known.toml")


def known(scan: str) -> Mapping[str, Mapping[str, int]]:
    """Return kind of finding → file → how many; :raises ValueError: for a kind without a reason."""
    told: dict[str, dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))[scan]
    for kind, files in told.items():
        if not str(files.get("reason", "")).strip():
            raise ValueError(f"{FILE.name}: {scan}.{kind} has no reason")
    return {kind: {name: count for name, count in files.items() if name != "reason"} for kind, files in told.items()}
