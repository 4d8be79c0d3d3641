"""The quick check of a whole block and the plain rule of one line are one rule."""

from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.bundles import HEADER, Bet, make_bet, make_conditions, make_terms
from totalizator.engine.bets import read_bet
from totalizator.engine.columns import blocks
from totalizator.engine.counting import count_bets
from totalizator.engine.errors import EngineError
from totalizator.engine.terms import Terms, parse_terms

FIXED = make_terms(max_lines=8)
FREE = make_terms(price={"min": 100, "max": 10**6}, max_lines=8)
LONG_CODES = make_terms(
    conditions=[
        {"code": "1", "name": {}, "outcomes": [{"code": str(horse)} for horse in range(1, 13)]},
        *make_conditions("1X2", "12")[1:],
        {"code": "ё", "name": {}, "outcomes": [{"code": "да"}, {"code": "не"}]},
    ]
)
POOLS = {"fixed": (FIXED, ("1;X;2", "1+X;2;1+2")), "free": (FREE, ("1;X;2", "1+X;2;1+2"))}
POOLS["long"] = (LONG_CODES, ("12;2;да", "1+11;1;да+не"))


def some_bets(pool: str) -> list[Bet]:
    single, system = POOLS[pool][1]
    lines = {"fixed": 4, "free": 4, "long": 4}[pool]
    return [make_bet(1, single, 100), make_bet(2, system, 100 * lines), make_bet(3, single, 100)]


def fault_by_rule(terms: Terms, body: bytes) -> str | None:
    """Read line by line; the file ends where the last newline is."""
    after = ""
    try:
        for number, line in enumerate(body.split(b"\n")[:-1], start=2):
            after = read_bet(terms, line, number, after=after).ticket
    except EngineError as error:
        return str(error)
    return None


def fault_by_block(terms: Terms, body: bytes) -> str | None:
    try:
        count_bets(terms, BytesIO(HEADER.encode() + b"\n" + body))
    except EngineError as error:
        return str(error)
    return None


@pytest.mark.parametrize("pool", POOLS)
def test_right_lines_are_right_for_both(pool: str) -> None:
    terms = parse_terms(POOLS[pool][0])
    body = "".join(f"{bet.row}\n" for bet in some_bets(pool)).encode()
    assert fault_by_rule(terms, body) is None
    assert fault_by_block(terms, body) is None


PIECES = st.one_of(
    st.binary(max_size=3),
    st.sampled_from(
        [
            b",",
            b"\n",
            b"\r",
            b";",
            b"+",
            b"0",
            b"1",
            b"X",
            b"-",
            b"24",
            b"60",
            b"3",
            b" ",
            b"00",
            b"A",
            b"f",
            b"Z",
            b"\xff",
        ]
    ),
)


@given(st.sampled_from(sorted(POOLS)), st.integers(0, 10**6), st.integers(0, 3), PIECES)
@settings(max_examples=1500, deadline=None)
def test_both_find_the_same_fault(pool: str, at: int, drop: int, piece: bytes) -> None:
    terms = parse_terms(POOLS[pool][0])
    body = "".join(f"{bet.row}\n" for bet in some_bets(pool)).encode()
    at %= len(body) - 1
    changed = body[:at] + piece + body[at + drop : -1] + b"\n"
    assert fault_by_block(terms, changed) == fault_by_rule(terms, changed)


FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "five fields": (lambda row: row.rpartition(",")[0], "BAD_CSV: bets.csv, line 3: 6 fields, not 5"),
    "a fault moved to the next line": (
        lambda row: row.replace(",", "\n", 1),
        "BAD_CSV: bets.csv, line 3: 6 fields, not 1",
    ),
    "the ticket before": (
        lambda row: row.replace("T-0002", "T-0001"),
        "BAD_ORDER: bets.csv, line 3, ticket: a ticket after T-0001, not 'T-0001'",
    ),
    "a small letter": (
        lambda row: row.replace("T-0002", "t-0002"),
        "BAD_CSV: bets.csv, line 3, ticket: digits, A-Z and -, not 't-0002'",
    ),
    "marks in another order": (
        lambda row: row.replace("1+X", "X+1"),
        "BAD_SELECTION: bets.csv, line 3, selections: outcomes of condition 1 in announced order, not 'X+1'",
    ),
    "too many lines": (
        lambda row: row.replace("1+X;2;1+2", "1+X+2;1+X;1+2"),
        "TOO_MANY_LINES: bets.csv, line 3, selections: at most 8 lines",
    ),
    "a condition too many": (
        lambda row: row.replace(";2;", ";2;2;"),
        "BAD_SELECTION: bets.csv, line 3, selections: 3 conditions joined by ; and not 4",
    ),
    "another price": (
        lambda row: row.replace(",400,", ",401,"),
        "BAD_STAKE: bets.csv, line 3, stake: 400, the price of 4 lines, not 401 (¶5)",
    ),
    "another number of lines": (
        lambda row: row.replace(",4,", ",5,"),
        "BAD_VALUE: bets.csv, line 3, lines: 4, the product of the marks",
    ),
    "a leading zero": (
        lambda row: row.replace(",400,", ",0400,"),
        "BAD_STAKE: bets.csv, line 3, stake: a whole number from 1, not '0400'",
    ),
    "the hour 24": (
        lambda row: row.replace("T10:00", "T24:00"),
        "BAD_CSV: bets.csv, line 3, registered_at: a time with six decimals, not '2026-12-03T24:00:00.000000Z'",
    ),
    "the instant of closing": (
        lambda row: row.replace("03T10:00:00", "05T12:00:00"),
        "OUT_OF_TIME: bets.csv, line 3, registered_at: from 2026-12-01T06:00:00.000000Z to before "
        "2026-12-05T12:00:00.000000Z, not 2026-12-05T12:00:00.000000Z",
    ),
    "CRLF": (lambda row: row + "\r", "BAD_CSV: bets.csv, line 3, salt: 32 characters 0-9a-f and then LF, not "),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_named_by_line_and_field(case: str) -> None:
    spoil, message = FAULTS[case]
    first, second, third = [bet.row for bet in some_bets("fixed")]
    fault = fault_by_block(parse_terms(FIXED), f"{first}\n{spoil(second)}\n{third}\n".encode())
    assert fault is not None
    assert fault.startswith(message)


def test_a_stake_too_long_for_python_to_read_is_refused() -> None:
    row = some_bets("free")[0].row.replace(",100,", f",{'9' * 5000},")
    fault = fault_by_block(parse_terms(FREE), f"{row}\n".encode())
    assert fault is not None
    assert fault.startswith("BAD_STAKE: bets.csv, line 2, stake: a whole number from 1, not '9999")


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_blocks_hold_whole_lines(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("totalizator.engine.columns.BLOCK_BYTES", size)
    body = "".join(f"{bet.row}\n" for bet in some_bets("fixed")).encode()
    found = list(blocks(BytesIO(HEADER.encode() + b"\n" + body)))
    assert b"".join(found) == body
    assert all(block.endswith(b"\n") for block in found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "BAD_CSV: bets.csv, line 1: "),
        (HEADER.encode(), "BAD_CSV: bets.csv, line 1: "),
        (HEADER.encode() + b"\r\n", "BAD_CSV: bets.csv, line 1: "),
        (b"\xef\xbb\xbf" + HEADER.encode() + b"\n", "BAD_CSV: bets.csv, line 1: "),
        (HEADER.encode() + b"\nT-0001,1;X;2,100", "BAD_CSV: bets.csv, last line: LF at its end"),
    ],
)
def test_a_file_that_is_not_whole(content: bytes, message: str) -> None:
    with pytest.raises(EngineError) as refusal:
        count_bets(parse_terms(FIXED), BytesIO(content))
    assert str(refusal.value).startswith(message)
