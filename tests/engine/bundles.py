"""Make pool bundles and run the engine's commands on them, from outside, as an auditor would."""

import io
import json
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any
from unittest.mock import patch

Document = dict[str, Any]

OPENS = "2026-12-01T06:00:00Z"
CLOSES = "2026-12-05T12:00:00Z"
SOLD = "2026-12-03T10:00:00.000000Z"
STARTED = "2026-12-05T12:00:05Z"
HEADER = "ticket,selections,stake,lines,registered_at,salt"


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet as bets.csv holds it; `marks` are the outcome codes of each condition."""

    ticket: str
    marks: tuple[tuple[str, ...], ...]
    stake: int
    registered_at: str = SOLD

    @property
    def lines(self) -> int:
        return prod(len(marked) for marked in self.marks)

    @property
    def row(self) -> str:
        selections = ";".join("+".join(marked) for marked in self.marks)
        salt = sha256(self.ticket.encode()).hexdigest()[:32]
        return f"{self.ticket},{selections},{self.stake},{self.lines},{self.registered_at},{salt}"


@dataclass(frozen=True, slots=True)
class Run:
    """What a command answered."""

    code: int
    out: str
    err: str


def engine(*arguments: str | Path) -> Run:
    """Run one command of the engine in this process, as `python -m totalizator.engine` would."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    code: int | str | None = 0
    argv = ["totalizator.engine", *(str(argument) for argument in arguments)]
    with patch.object(sys, "argv", argv), redirect_stdout(out), redirect_stderr(err):
        try:
            runpy.run_module("totalizator.engine", run_name="__main__")
        except SystemExit as stopped:
            code = stopped.code
    for stream in (out, err):
        stream.seek(0)
    assert code is None or isinstance(code, int), code
    return Run(code or 0, out.read(), err.read())


def make_conditions(*outcomes: str) -> list[Document]:
    """Make conditions coded 1, 2, ... out of strings of one-letter outcomes, as `"1X2", "12"`."""
    return [
        {
            "code": str(number),
            "name": {"en": f"Match {number}"},
            "outcomes": [{"code": code} for code in codes],
        }
        for number, codes in enumerate(outcomes, 1)
    ]


def make_level(code: str, at: str, share: str, **more: Any) -> Document:
    """Make a level whose range is `"14/15"` or `"4/5..9/10"`."""
    lowest, _, highest = at.partition("..")
    return {"code": code, "from": lowest, "to": highest or lowest, "share": share, **more}


def make_terms(**changes: Any) -> Document:
    """Make the terms of a custom pool of three matches at 1.00 a line, with one level and no takeout."""
    return {
        "format": 1,
        "game": "custom",
        "pool": {"code": "T-1", "name": {"en": "Test pool"}},
        "opens_at": OPENS,
        "closes_at": CLOSES,
        "rules_version": "sha256:" + "0" * 64,
        "price": {"line": 100},
        "conditions": make_conditions("1X2", "1X2", "1X2"),
        "fund": "1",
        "levels": [make_level("top", "1", "1")],
        "divide_by": "lines",
        "empty_level": "jackpot",
        **changes,
    }


def make_result(*right: str, **changes: Any) -> Document:
    """Make a result: one string of right one-letter outcomes per condition, or `"void"`."""
    return {
        "protocol": {"number": "1", "digest": "sha256:" + "1" * 64, "sealed_at": "2026-12-05T15:00:00Z"},
        "first_started_at": STARTED,
        "conditions": {
            str(number): "void" if codes == "void" else list(codes) for number, codes in enumerate(right, 1)
        },
        **changes,
    }


def make_bet(number: int, selections: str, stake: int, registered_at: str = SOLD) -> Bet:
    """Make a bet out of its selections as written in bets.csv."""
    marks = tuple(tuple(marked.split("+")) for marked in selections.split(";"))
    return Bet(f"T-{number:04}", marks, stake, registered_at)


def dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def bets_csv(bets: list[Bet]) -> bytes:
    return "".join(line + "\n" for line in [HEADER, *(bet.row for bet in bets)]).encode()


def write_bundle(
    directory: Path, terms: Document, bets: list[Bet], result: Document, state: Document | None = None
) -> Path:
    """Write the "in" files of a bundle; bets in the order that the format asks for."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "terms.json").write_bytes(dump(terms))
    (directory / "bets.csv").write_bytes(bets_csv(sorted(bets, key=lambda bet: bet.ticket.encode())))
    (directory / "result.json").write_bytes(dump(result))
    if state is not None:
        (directory / "state.json").write_bytes(dump(state))
    return directory


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def settled(directory: Path) -> Document:
    """Run `settle` and return the statement it wrote."""
    run = engine("settle", directory)
    assert run.code == 0, run
    statement: Document = read(directory / "statement.json")
    return statement


def winnings(directory: Path) -> list[str]:
    """Return the rows of winnings.csv without the header."""
    header, *rows = (directory / "winnings.csv").read_text().splitlines()
    assert header == "ticket,level,lines,amount"
    return rows


def dividends(directory: Path, terms: Document, tally: Document) -> Document:
    """Run `dividends` on terms and a tally and return the statement it printed."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "terms.json").write_bytes(dump(terms))
    (directory / "tally.json").write_bytes(dump(tally))
    run = engine("dividends", directory)
    assert run.code == 0, run
    statement: Document = json.loads(run.out)
    return statement


def level_of(statement: Document, code: str) -> Document:
    level: Document = next(level for level in statement["levels"] if level["code"] == code)
    return level


def assert_identity(statement: Document, carried_in: int = 0) -> None:
    """Every kopeck that came in went out, in the whole and on each level (D-6)."""
    came = statement["turnover"] + statement["jackpot_in"] + carried_in + statement["added"]
    carried_out = sum(statement["carried"].values())
    went = statement["refunds"] + statement["takeout"] + statement["winnings"] + statement["jackpot_out"] + carried_out
    assert came == went
    for level in statement["levels"]:
        assert level["fund"] == level["paid"] + level["remainder"] + sum(move["amount"] for move in level["moved"])
    assert statement["winnings"] == sum(level["paid"] for level in statement["levels"])
