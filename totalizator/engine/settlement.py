"""Settling a bundle: the "in" files are read, the "out" files written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from totalizator.engine import bundle
from totalizator.engine.announced import Terms
from totalizator.engine.canonical import json_file
from totalizator.engine.counting import BetCount, count_bets
from totalizator.engine.dividends import divide
from totalizator.engine.errors import EngineError, shown
from totalizator.engine.matching import Matcher
from totalizator.engine.merkle import MerkleTree
from totalizator.engine.refund import everything_returned
from totalizator.engine.result import Result, parse_result
from totalizator.engine.state import State, parse_state
from totalizator.engine.statement import Statement, statement_document
from totalizator.engine.tally import LevelTally, Tally, tally_document
from totalizator.engine.terms import parse_terms
from totalizator.engine.winnings import winning_rows


@dataclass(frozen=True, slots=True)
class Settlement:
    """A pool settled bet by bet."""

    terms: Terms
    count: BetCount
    tally: Tally
    statement: Statement


def settle(directory: str | Path) -> Statement:
    """Settle a bundle and write tally.json, statement.json and winnings.csv into it.

    :raises EngineError: for the first thing that is wrong in an "in" file; then nothing is written.
    """
    folder = Path(directory)
    terms = parse_terms(bundle.read_file(folder, bundle.TERMS))
    with open_bets(folder) as bets:
        settlement = settle_bets(folder, terms, bets)
        bundle.write_file(folder, bundle.TALLY, [json_file(tally_document(settlement.tally))])
        bundle.write_file(folder, bundle.STATEMENT, [json_file(statement_document(settlement.statement))])
        bundle.write_file(folder, bundle.WINNINGS, winnings_of(settlement, bets))
    return settlement.statement


def settle_bets(folder: Path, terms: Terms, bets: BinaryIO, *, tree: MerkleTree | None = None) -> Settlement:
    """Settle in memory: one pass over the bets, then the money.

    :raises EngineError: for the first thing that is wrong in result.json, state.json or bets.csv.
    """
    result = parse_result(terms, bundle.read_file(folder, bundle.RESULT))
    has_state = bundle.is_there(folder, bundle.STATE)
    state = parse_state(terms, bundle.read_file(folder, bundle.STATE)) if has_state else State()
    returned = everything_returned(terms, result)
    count = count_bets(
        terms,
        bets,
        matcher=None if returned else Matcher(terms, result),
        started_at=result.first_started_at,
        cancelled=state.cancelled,
        tree=tree,
    )
    for ticket in sorted(state.cancelled.difference(count.cancelled)):
        raise EngineError("UNKNOWN_TICKET", "state.json, cancelled", f"tickets of bets.csv, unlike {shown(ticket)}")
    tally = _tally(terms, count, state, returned=returned)
    statement = divide(
        terms,
        tally,
        late=count.late,
        cancelled=count.cancelled,
        void=_void(terms, result),
        bets_digest=count.digest,
    )
    return Settlement(terms=terms, count=count, tally=tally, statement=statement)


def winnings_of(settlement: Settlement, bets: BinaryIO) -> Iterator[bytes]:
    """Give winnings.csv in parts, from the bets read again."""
    bets.seek(0)
    return winning_rows(bets, settlement.count, settlement.statement)


@contextmanager
def open_bets(folder: Path) -> Iterator[BinaryIO]:
    """Open bets.csv.

    :raises EngineError: MISSING_FILE.
    """
    try:
        with folder.joinpath(bundle.BETS).open("rb") as file:
            yield file
    except OSError as error:
        raise bundle.missing(bundle.BETS, error) from None


def _tally(terms: Terms, count: BetCount, state: State, *, returned: bool) -> Tally:
    """Put the pass and the state together; when everything goes back nothing is on any level."""
    returned = returned or count.turnover - count.refunds < terms.min_turnover
    nothing = {level.code: LevelTally(bets={}) for level in terms.levels}
    return Tally(
        turnover=count.turnover,
        refunds=count.turnover if returned else count.refunds,
        returned=returned,
        lines=count.lines,
        jackpot_in=state.jackpot_in,
        carried=state.carried,
        levels=nothing if returned else count.levels,
    )


def _void(terms: Terms, result: Result) -> list[str]:
    return [condition.code for condition in terms.conditions if condition.code in result.void]
