"""Read the worked tables out of docs/algorithms.md, and remember which were run."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "algorithms.md"
NOTHING = "–"

Row = dict[str, str]


def tables_of(page: str) -> dict[str, list[list[Row]]]:
    """Return the tables under each heading of a Markdown page."""
    found: dict[str, list[list[Row]]] = {}
    heading, header = "", None
    for line in page.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells
            found.setdefault(heading, []).append([])
        elif set(cells[0]) - set(":-"):
            assert len(cells) == len(header), line
            found[heading][-1].append(dict(zip(header, cells, strict=True)))
    return found


TABLES = tables_of(PAGE.read_text(encoding="utf-8"))
RUN: set[tuple[str, int]] = set()


def table(heading: str, number: int = 0) -> list[Row]:
    RUN.add((heading, number))
    return TABLES[heading][number]


def kopecks(text: str) -> int:
    roubles, _, rest = text.partition(".")
    assert len(rest) == 2, text
    return int(roubles) * 100 + int(rest)


def roubles(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02}"
