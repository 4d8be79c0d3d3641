"""Break JSON documents, one place at a time."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tests.engine.bundles import Bet, Document, make_bet, make_conditions, make_level, make_result, make_terms

Path = tuple[str | int, ...]

CODES = {
    "MISSING_FILE",
    "BAD_JSON",
    "BAD_CSV",
    "UNKNOWN_KEY",
    "MISSING_KEY",
    "BAD_VALUE",
    "LAW",
    "BAD_ORDER",
    "BAD_STAKE",
    "BAD_SELECTION",
    "OUT_OF_TIME",
    "TOO_MANY_LINES",
    "UNKNOWN_TICKET",
}

# Each is wrong nearly everywhere; a test lists the places where it is not.
WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "float": 1.5,
    "whole float": 1.0,
    "negative": -1,
    "huge": 10**400,
    "text": "?! ,;+",
    "empty text": "",
    "empty list": [],
    "empty object": {},
    "list of null": [None],
    "itself in a list": [...],
}


def full_terms() -> Document:
    """Terms with every key there is."""
    return make_terms(
        price={"min": 10, "max": 100_000},
        max_lines=100,
        conditions=[
            *make_conditions("1X2", "12"),
            {"code": "3", "name": {}, "outcomes": [{"code": "A", "name": {"be": "Так"}}, {"code": "B"}]},
        ],
        fund="7/10",
        levels=[
            make_level("all", "1", "1/2", empty="carry_same", min_dividend={"amount": "1/2", "below": "top_up"}),
            make_level("two", "2/3", "1/4", min_dividend=None),
        ],
        jackpot_share="0.25",
        divide_by="stakes",
        rounding={"mode": "down", "step": 1, "of": "winning"},
        empty_level="other_levels",
        min_dividend={"amount": "3/4", "below": "jackpot"},
        max_dividend={"amount": "500", "above": "next_lower"},
        guarantee={"all": 100},
        monotone=False,
        void_condition="exclude",
        min_valid_conditions=1,
        min_turnover=0,
        jackpot={"level": "all", "share": "1/2"},
        quorum={"members": ["Ann", "Ben"], "need": 1},
    )


def full_result() -> Document:
    """A result with every key there is; its signature is of the right form and signs nothing."""
    digest = "sha256:" + "2" * 64
    evidence = {"condition": "1", "source": "league", "captured_at": "2026-12-05T14:00:00Z", "digest": digest}
    protocol = {"number": "17", "digest": digest, "sealed_at": "2026-12-05T15:00:00Z", "version": 2}
    return make_result(
        "1",
        "12",
        "void",
        protocol={**protocol, "previous": digest, "evidence": [evidence], "dissent": ["Ben doubts"]},
        event_void=False,
        signatures=[{"member": "Ann", "algorithm": "ed25519", "signature": "AA" * 42 + "AA=="}],
    )


def full_state() -> Document:
    return {"jackpot_in": 500, "carried": {"all": 7, "two": 9}, "cancelled": ["T-0003"]}


def full_tally() -> Document:
    level = {"lines": 3, "stakes": 60, "bets": {"10": 2, "40": 1}}
    tally = {"turnover": 1000, "refunds": 100, "returned": False, "lines": 50, "jackpot_in": 5, "carried": {"all": 3}}
    return {**tally, "levels": {"all": dict(level), "two": dict(level)}}


def some_bets() -> list[Bet]:
    return [
        make_bet(1, "1;1;A", 50),
        make_bet(2, "1+X;1+2;B", 80),
        make_bet(3, "2;2;A+B", 20),
        make_bet(4, "1;2;B", 10),
    ]


def places(document: Any, path: Path = ()) -> Iterator[Path]:
    """Go through the paths of everything in a document, the whole first."""
    yield path
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inner:
        yield from places(value, (*path, key))


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def replaced(document: Any, path: Path, value: Any) -> Any:
    """Copy a document with one place holding another value; `[...]` stands for the place's own value in a list."""
    if value == [...]:
        value = [deepcopy(at(document, path))]
    if not path:
        return value
    copy = deepcopy(document)
    at(copy, path[:-1])[path[-1]] = value
    return copy


def without(document: Any, path: Path) -> Any:
    copy = deepcopy(document)
    del at(copy, path[:-1])[path[-1]]
    return copy


def name(path: Path) -> str:
    return ".".join(str(key) for key in path)
