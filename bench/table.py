"""Showing the figures, and keeping them."""

import json
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_PLAIN = {
    "web": "Bets over HTTP",
    "settling": "Closing, settling, proving and paying a pool",
    "paying": "Paying a pool that many win",
    "beside": "Selling while another pool is settled",
    "ranges": "Calculating a settlement, by ranges of bets",
}


def print_table(figures: Mapping[str, Any]) -> None:
    """Print what was measured."""
    console = Console(highlight=False)
    if "accepting" in figures:
        console.print(_accepting(figures["accepting"]))
    for name, title in _PLAIN.items():
        if name in figures:
            console.print(_plain(title, figures[name]))
    if "pages" in figures:
        console.print(_pages(figures["pages"]))


def keep(figures: Mapping[str, Any], folder: Path) -> Path:
    """Write the figures with the machine and the time to a new file in `folder`; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / time.strftime("bench-%Y%m%d-%H%M%S.json")
    path.write_text(json.dumps({"machine": describe_machine(), **figures}, indent=1) + "\n", encoding="utf-8")
    return path


def describe_machine() -> dict[str, object]:
    """Return what the figures depend on; a load above the number of processors means that others were at work too."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        "load_of_last_five_minutes": os.getloadavg()[1],
    }


def _accepting(rows: list[Mapping[str, Any]]) -> Table:
    table = Table(
        "clients", "place_bet/s", "pgbench/s", "ratio", "python ms", "median ms", "p99 ms", title="Accepting bets"
    )
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    return table


def _plain(title: str, figures: Mapping[str, Any]) -> Table:
    table = Table("", "", title=title, show_header=False, min_width=len(title))
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), f"{value:,}")
    return table


def _pages(figures: Mapping[str, Any]) -> Table:
    title = f"Pages, with {figures['pools']:,} pools and {figures['bets']:,} bets in the database"
    table = Table("who", "page", "median ms", "p95 ms", "queries", "kB", title=title)
    for page in figures["pages"]:
        table.add_row(*(str(value) for value in page.values()))
    return table
