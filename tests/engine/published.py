"""Read the published draws kept under fixtures/."""

import csv
import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).with_name("fixtures")

Row = dict[str, Any]


def table(name: str) -> list[Row]:
    """Return a table's rows, with every whole number as an int."""
    with (FIXTURES / name).open(encoding="utf-8", newline="") as lines:
        return [
            {column: int(cell) if cell.isdigit() else cell for column, cell in row.items()}
            for row in csv.DictReader(lines)
        ]


def atg_pool(game: str, number: int = 0) -> Row:
    """Return the `number`th pool of an ATG game, in the order of the fixture."""
    pools = json.loads((FIXTURES / "atg.json").read_text(encoding="utf-8"))
    pool: Row = [pool for pool in pools if pool["game"] == game][number]
    return pool
