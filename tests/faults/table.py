"""What many days with faults came to, fault by fault: printed, and kept as JSON."""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.table import describe_machine
from tests.faults.day import Day

HEAD = ("fault", "runs", "bets", "answered", "try again", "refused", "no answer", "same ticket", "seconds", "wrong")


def print_table(days: Sequence[Day]) -> None:
    """Print a line for each fault, of all days that had it, and one of all days."""
    lines = [HEAD, *(_line(name, having) for name, having in _by_fault(days).items()), _line("all", days)]
    widths = [max(len(str(line[column])) for line in lines) for column in range(len(HEAD))]
    for line in lines:
        first, *others = (
            str(cell).rjust(width) if at else str(cell).ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *others]))


def keep_figures(days: Sequence[Day], lacking: Mapping[str, str], folder: Path) -> Path:
    """Write all that is known of the days; return the file."""
    path = folder / f"runs-{days[0].seed}-{days[-1].seed}.json"
    table = [dict(zip(HEAD, _line(name, having), strict=True)) for name, having in _by_fault(days).items()]
    figures = {
        "machine": describe_machine(),
        "left_out": dict(lacking),
        "all": dict(zip(HEAD, _line("all", days), strict=True)),
        "faults": table,
        "days": [vars(day) | {"plan": [asdict(fault) for fault in day.plan]} for day in days],
    }
    path.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _by_fault(days: Iterable[Day]) -> dict[str, list[Day]]:
    found: dict[str, list[Day]] = {}
    for day in days:
        for kind in sorted({injected.kind for injected in day.plan}):
            found.setdefault(kind, []).append(day)
    return dict(sorted(found.items()))


def _line(name: str, days: Sequence[Day]) -> tuple[str | int | float, ...]:
    answers = sum((day.answers for day in days), Counter[str]())
    good = sum(number for status, number in answers.items() if status.startswith(("2", "3")))
    refused = sum(number for status, number in answers.items() if status.startswith("4"))
    return (
        name,
        len(days),
        sum(day.bets for day in days),
        good,
        answers["503"],
        refused,
        answers["no answer"],
        sum(day.replayed for day in days),
        round(statistics.median(day.seconds for day in days), 1),
        sum(bool(day.wrong) for day in days),
    )
