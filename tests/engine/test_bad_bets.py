"""Broken bets.csv: always `CODE: bets.csv, line, field: ...` and exit 2, never a traceback."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine import broken
from tests.engine.bundles import HEADER, Document, Run, bets_csv, engine, make_result, make_terms, write_bundle

MESSAGE = re.compile(r"([A-Z_]+): bets\.csv(, [^\n]+)?: [^\n]+\n")
SALT = "0123456789abcdef" * 2
WHEN = "2026-12-03T10:00:00.000000Z"
COLUMNS = HEADER.split(",")
RESULT = make_result("1", "1", "1")

FIXED = make_terms(price={"line": 50}, max_lines=8)
FREE = make_terms(price={"min": 10, "max": 100_000}, max_lines=8, divide_by="stakes")

# A row that is right at a fixed price and with a free stake, and one after it.
ROW = ("T-0005", "1+X;1;2", "100", "2", WHEN, SALT)
AFTER = ("T-0006", "1;1;1", "50", "1", WHEN, SALT)


def settle_csv(directory: Path, content: bytes, terms: Document = FIXED) -> Run:
    write_bundle(directory, terms, [], RESULT)
    (directory / "bets.csv").write_bytes(content)
    return engine("settle", directory)


def csv(*rows: tuple[str, ...]) -> bytes:
    return "".join(line + "\n" for line in [HEADER, *(",".join(row) for row in rows)]).encode()


def assert_refused(run: Run, *codes: str) -> None:
    message = MESSAGE.fullmatch(run.err)
    assert run.code == 2, run
    assert message, run
    assert message[1] in (codes or broken.CODES), run
    assert run.out == ""


@pytest.mark.parametrize("terms", [FIXED, FREE], ids=["fixed price", "free stake"])
def test_the_unbroken_rows_are_taken(tmp_path: Path, terms: Document) -> None:
    assert settle_csv(tmp_path, csv(ROW, AFTER), terms).code == 0
    assert settle_csv(tmp_path, csv(), terms).code == 0


# Column, the codes that may be said, and the cells that are wrong.
CELLS: list[tuple[str, tuple[str, ...], list[str]]] = [
    ("ticket", ("BAD_CSV",), ["t-0005", "T 0005", "T_0005", "Т-0005", "T-0005\x00", "T.5", '"T-0005"', "٥"]),
    ("ticket", ("BAD_CSV", "BAD_ORDER"), [""]),
    ("selections", ("BAD_SELECTION",), ["", ";;", "1;1", "1;1;1;1", "1+X;1;2;", ";1+X;1;2", "1+X;;2", "1+X;1"]),
    ("selections", ("BAD_SELECTION",), ["X+1;1;2", "1+1;1;2", "1+;1;2", "+1;1;2", "1 + X;1;2", "1+x;1;2"]),
    ("selections", ("BAD_SELECTION",), ["3;1;2", "1+X;1;2 ", "1X;1;2", "1&X;1;2", "1+Х;1;2", "1+X;1;\x00", "１+X;1;2"]),
    ("selections", ("BAD_SELECTION", "TOO_MANY_LINES"), ["1+X+2;1+X;1+X", "1+X+2;1+X+2;1+X+2"]),
    ("selections", ("BAD_VALUE", "BAD_SELECTION"), ["1;1;2", "1+X;1+X;2"]),
    ("stake", ("BAD_STAKE", "BAD_CSV"), ["", "0", "-100", "+100", "1e2", "100.0", "100,", " 100", "100 ", "0100"]),
    ("stake", ("BAD_STAKE", "BAD_CSV"), ["1_00", "0x64", "１００", "٠", "NaN", "null", "100\x00", "99", "101", "1"]),
    ("stake", ("BAD_STAKE", "BAD_CSV"), ["100002", "9" * 30, "9" * 5000]),
    ("lines", ("BAD_VALUE", "BAD_CSV"), ["", "0", "1", "3", "-2", "02", "2.0", " 2", "２", "9" * 5000]),
    ("registered_at", ("BAD_CSV",), ["", "now", "1764756000", "2026-12-03", "2026-12-03T10:00:00Z"]),
    ("registered_at", ("BAD_CSV",), ["2026-12-03T10:00:00.000Z", "2026-12-03 10:00:00.000000Z", WHEN[:-1], WHEN + " "]),
    ("registered_at", ("BAD_CSV",), ["2026-12-03T10:00:00.000000+00:00", "2026-12-03T10:00:60.000000Z"]),
    ("registered_at", ("BAD_CSV",), ["2026-12-03T24:00:00.000000Z", "2026-12-32T10:00:00.000000Z"]),
    ("registered_at", ("BAD_CSV",), ["2026-11-31T10:00:00.000000Z", "2026-12-03T10:00:00.00000٠Z"]),
    ("registered_at", ("OUT_OF_TIME",), ["2026-12-01T05:59:59.999999Z", "2026-12-05T12:00:00.000000Z"]),
    ("registered_at", ("OUT_OF_TIME",), ["2025-12-03T10:00:00.000000Z", "9999-12-31T23:59:59.999999Z"]),
    ("salt", ("BAD_CSV",), ["", "0", SALT[:-1], SALT + "0", SALT.upper(), "g" * 32, " " * 32, SALT[:-1] + "٠"]),
    ("salt", ("BAD_CSV",), [SALT + ",", SALT + ",extra", SALT + "\r"]),
]


@pytest.mark.parametrize("terms", [FIXED, FREE], ids=["fixed price", "free stake"])
@pytest.mark.parametrize(
    ("column", "text", "codes"),
    [(column, text, codes) for column, codes, texts in CELLS for text in texts],
    ids=lambda value: ascii(value)[:24] if isinstance(value, str) else "",
)
def test_a_wrong_cell(tmp_path: Path, terms: Document, column: str, text: str, codes: tuple[str, ...]) -> None:
    row = list(ROW)
    row[COLUMNS.index(column)] = text
    first = ("T-0001", *AFTER[1:])
    run = settle_csv(tmp_path, csv(first, tuple(row), AFTER), terms)
    assert_refused(run, *codes)
    assert "line 3" in run.err
    assert not (tmp_path / "statement.json").exists()


def test_times_at_the_bounds(tmp_path: Path) -> None:
    """Opening is inclusive, closing is exclusive."""
    first, last = "2026-12-01T06:00:00.000000Z", "2026-12-05T11:59:59.999999Z"
    assert settle_csv(tmp_path, csv((*ROW[:4], first, SALT), (*AFTER[:4], last, SALT))).code == 0


WHOLE = csv(ROW, AFTER)
FILES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "nothing": (b"", ("BAD_CSV",)),
    "a newline": (b"\n", ("BAD_CSV",)),
    "no header": (WHOLE.partition(b"\n")[2], ("BAD_CSV",)),
    "a header alone, without its newline": (HEADER.encode(), ("BAD_CSV",)),
    "another order of columns": (WHOLE.replace(b"ticket,selections", b"selections,ticket"), ("BAD_CSV",)),
    "a header in capitals": (WHOLE.replace(b"ticket", b"Ticket"), ("BAD_CSV",)),
    "two headers": (HEADER.encode() + b"\n" + WHOLE, ("BAD_CSV",)),
    "a byte order mark": (b"\xef\xbb\xbf" + WHOLE, ("BAD_CSV",)),
    "Windows line ends": (WHOLE.replace(b"\n", b"\r\n"), ("BAD_CSV",)),
    "Windows line ends after the header": (csv() + WHOLE.partition(b"\n")[2].replace(b"\n", b"\r\n"), ("BAD_CSV",)),
    "old Macintosh line ends": (WHOLE.replace(b"\n", b"\r"), ("BAD_CSV",)),
    "no newline at the end": (WHOLE[:-1], ("BAD_CSV",)),
    "an empty line": (csv(ROW) + b"\n", ("BAD_CSV",)),
    "an empty line between": (csv(ROW) + b"\n" + b",".join(map(str.encode, AFTER)) + b"\n", ("BAD_CSV",)),
    "a line of spaces": (csv(ROW) + b"  \n", ("BAD_CSV",)),
    "a column too many": (csv((*ROW, "1")), ("BAD_CSV",)),
    "a column too few": (csv(ROW[:-1]), ("BAD_CSV",)),
    "a column moved to the next line": (csv(ROW[:-1], (SALT, *AFTER)), ("BAD_CSV",)),
    "a column moved to the line before": (csv((*ROW, AFTER[0]), AFTER[1:]), ("BAD_CSV",)),
    "quoted cells": (csv(tuple(f'"{cell}"' for cell in ROW)), ("BAD_CSV",)),
    "semicolons between columns": (csv(ROW).replace(b",", b";"), ("BAD_CSV",)),
    "tabs between columns": (csv(ROW).replace(b",", b"\t"), ("BAD_CSV",)),
    "bad UTF-8": (WHOLE.replace(b"1+X", b"1+\xff"), ("BAD_CSV", "BAD_SELECTION")),
    "bad UTF-8 in a ticket": (WHOLE.replace(b"T-0006", b"T-\xd0\xd0"), ("BAD_CSV",)),
    "UTF-16": (WHOLE.decode().encode("utf-16"), ("BAD_CSV",)),
    "NULs": (bytes(1000), ("BAD_CSV",)),
    "a duplicate ticket": (csv(ROW, ROW), ("BAD_ORDER",)),
    "a ticket twice, not side by side": (csv(ROW, AFTER, ROW), ("BAD_ORDER",)),
    "a wrong order": (csv(AFTER, ROW), ("BAD_ORDER",)),
    "an order by number and not by bytes": (csv(("9", *AFTER[1:]), ("10", *AFTER[1:])), ("BAD_ORDER",)),
    "one line of a megabyte": (csv() + b"A" * (1 << 20) + b"\n", ("BAD_CSV",)),
    "JSON": (b"{}\n", ("BAD_CSV",)),
}


@pytest.mark.parametrize("case", FILES)
def test_a_wrong_file(tmp_path: Path, case: str) -> None:
    content, codes = FILES[case]
    assert_refused(settle_csv(tmp_path, content), *codes)


def test_a_truncated_file_is_refused_unless_cut_at_a_line(tmp_path: Path) -> None:
    for size in range(len(WHOLE)):
        run = settle_csv(tmp_path, WHOLE[:size])
        if size and WHOLE[size - 1 : size] == b"\n":
            assert run.code == 0  # fewer bets; only the commitment can tell
        else:
            assert_refused(run, "BAD_CSV")


def test_the_first_wrong_line_of_many_is_named(tmp_path: Path) -> None:
    """Far into the file, past the size in which the engine reads."""
    rows = [(f"T-{number:06}", *AFTER[1:]) for number in range(30_000)]
    rows[24_680] = ("T-024680", "1;1;4", *AFTER[2:])
    rows[24_690] = ("T-000000", *AFTER[1:])
    run = settle_csv(tmp_path, csv(*rows))
    assert_refused(run, "BAD_SELECTION")
    assert run.err.startswith("BAD_SELECTION: bets.csv, line 24682, selections: ")


def test_nothing_is_written_when_something_is_refused(tmp_path: Path) -> None:
    assert settle_csv(tmp_path, WHOLE).code == 0
    kept = {file.name: file.read_bytes() for file in tmp_path.iterdir()} | {"bets.csv": WHOLE[:-1]}
    assert settle_csv(tmp_path, WHOLE[:-1]).code == 2
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == kept


@given(st.integers(0, 10**6), st.binary(max_size=6), st.integers(0, 6), st.booleans())
@settings(max_examples=400, deadline=None)
def test_bytes_changed_anywhere_are_taken_or_refused_in_one_line(at: int, new: bytes, drop: int, free: bool) -> None:
    whole = bets_csv(broken.some_bets())
    at %= len(whole) + 1
    terms = (
        broken.full_terms() if free else make_terms(price={"line": 10}, conditions=broken.full_terms()["conditions"])
    )
    with TemporaryDirectory() as folder:
        run = settle_csv_of(Path(folder), whole[:at] + new + whole[at + drop :], terms)
    if run.code != 0:
        assert_refused(run)


def settle_csv_of(directory: Path, content: bytes, terms: Document) -> Run:
    write_bundle(directory, terms, [], broken.full_result())
    (directory / "bets.csv").write_bytes(content)
    return engine("settle", directory)
