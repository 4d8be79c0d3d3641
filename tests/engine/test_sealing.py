"""Sealing is committing, in one pass, here or in a process of its own that has nothing but a bare Python."""

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from tests.engine.bundles import Document, bets_csv, dump, make_bet, make_terms
from totalizator.engine.commitment import build_commitment
from totalizator.engine.errors import EngineError
from totalizator.engine.sealing import Sealed, answer, read_answer, seal

CHECKOUT = Path(__file__).parents[2]
# As `-m totalizator.engine.sealing` runs, but without environment, site-packages and current folder.
START = """
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module("totalizator.engine.sealing", run_name="__main__")
"""
CLOSED = "2026-12-05T12:00:00.000000Z"
FIXED, FREE = make_terms(), make_terms(price={"min": 100, "max": 10**6})


def some_bets(terms: Document, count: int) -> bytes:
    """Every third is a system coupon; free stakes are all different."""
    free = "min" in terms["price"]
    rows = []
    for number in range(count):
        selections, lines = ("1+X;2;1+2", 4) if number % 3 == 1 else ("1;X;2", 1)
        rows.append(make_bet(number, selections, lines * (100 + number if free else 100)))
    return bets_csv(rows)


def beside(terms: bytes, bets: bytes, size: int) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", "-S", "-B", "-c", START, str(CHECKOUT), str(size), str(len(terms))]
    return subprocess.run(command, input=terms + bets, capture_output=True, timeout=60, check=False, env={}, cwd="/")


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 100])
@pytest.mark.parametrize("terms", [FIXED, FREE], ids=["fixed", "free"])
def test_sealing_claims_what_a_commitment_does(terms: Document, count: int, tmp_path: Path) -> None:
    bets = tmp_path / "bets.csv"
    bets.write_bytes(some_bets(terms, count))
    sealed = seal(dump(terms), BytesIO(bets.read_bytes()), 8)
    document = build_commitment(dump(terms), bets, CLOSED)
    assert document == {"format": 1, **sealed.claims, "closed_at": CLOSED}
    assert [first for first, _root in sealed.chunks] == [f"T-{number:04}" for number in range(0, count, 8)]


def test_it_is_the_same_in_a_process_of_its_own() -> None:
    terms, bets = dump(FREE), some_bets(FREE, 20)
    run = beside(terms, bets, 4)
    assert (run.returncode, run.stderr) == (0, b"")
    sealed = seal(terms, BytesIO(bets), 4)
    assert read_answer(run.stdout) == sealed
    assert len(sealed.chunks) == 5


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda bets: bets.replace(b"T-0003", b"T-0002"), "BAD_ORDER: bets.csv, line 5, ticket: a ticket after T-0002"),
        (lambda bets: bets[:-1], "BAD_CSV: bets.csv, last line: LF at its end"),
        (lambda bets: bets[:0], "BAD_CSV: bets.csv, line 1: "),
    ],
    ids=["order", "cut off", "nothing"],
)
def test_the_process_tells_the_fault_and_ends(spoil: object, message: str) -> None:
    assert callable(spoil)
    run = beside(dump(FREE), spoil(some_bets(FREE, 9)), 4)
    assert (run.returncode, run.stderr) == (0, b"")
    with pytest.raises(EngineError) as fault:
        read_answer(run.stdout)
    assert str(fault.value).startswith(message)


def test_bad_terms_are_a_fault_too() -> None:
    with pytest.raises(EngineError, match=r"^BAD_JSON: terms\.json"):
        read_answer(answer(BytesIO(b"{" + some_bets(FREE, 1)), 4, 1))


def test_what_is_answered_reads_back() -> None:
    terms, bets = dump(FIXED), some_bets(FIXED, 5)
    sealed = read_answer(answer(BytesIO(terms + bets), 2, len(terms)))
    assert sealed == seal(terms, BytesIO(bets), 2)
    assert isinstance(sealed, Sealed)
