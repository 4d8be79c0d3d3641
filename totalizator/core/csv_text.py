"""Tables that spreadsheets open as they are: UTF-8 with its mark, semicolons, no cell that runs as a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from totalizator.core.money import plain_byn

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row's last line, from 1, and its cells; what no spreadsheet wrote is one cell, `?`."""
    rows = csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=";")
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:  # a cell of 131,072 characters and more
            row = ["?"]
        yield rows.line_num, row


def csv_bytes(rows: Iterable[Sequence[str | int]]) -> bytes:
    """Return `rows` as a file; a whole number is kopecks, written with a decimal comma as Russian spreadsheets read it.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    written = StringIO()
    table = csv.writer(written, delimiter=";", lineterminator="\r\n")
    for row in rows:
        table.writerow([_amount(cell) if isinstance(cell, int) else _harmless(cell) for cell in row])
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def _amount(kopecks: int) -> str:
    return plain_byn(kopecks).replace(".", ",")


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_RUNS) else text
