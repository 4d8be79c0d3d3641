"""Terms and results with values that cannot be, or that contradict one another: refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine import broken
from tests.engine.bundles import dump
from tests.engine.refusals import DOCUMENTS, assert_refused, run_with

FRACTIONS = [
    *("1/0", "0/0", "-1/2", "+1/2", "3/2", "1.1", " 1/2", "1/2 ", "1 / 2", "1/-2", "1_0/2_0", "1e-1", "1e999999999"),
    *(
        "nan",
        "inf",
        "0x1",
        "½",
        "٣/٤",
        "1,5",
        "1/2/3",
        ".",
        "/",
        "1/",
        "/2",
        "1.5/2",
        "0." + "1" * 5000,
        "1\n",
        "\ud800",
    ),
]


@pytest.mark.parametrize("text", FRACTIONS, ids=ascii)
@pytest.mark.parametrize("path", [("fund",), ("levels", 0, "share"), ("levels", 0, "from"), ("jackpot", "share")])
def test_texts_that_are_no_share(tmp_path: Path, path: broken.Path, text: str) -> None:
    content = json.dumps(broken.replaced(DOCUMENTS["terms.json"], path, text)).encode()
    assert_refused(run_with(tmp_path, "terms.json", content), "terms.json", "BAD_VALUE")


INSTANTS = [
    *("2026-12-05", "2026-12-05T12:00Z", "2026-12-05 12:00:00Z", "2026-12-05T12:00:00", "2026-12-05T12:00:00z"),
    *(
        "2026-12-05T12:00:00+00:00",
        "2026-12-05T12:00:00+03:00",
        "2026-12-05T12:00:00.1Z",
        "2026-12-05T12:00:00.1234567Z",
    ),
    *(
        "2026-02-29T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-12-05T25:00:00Z",
        "2026-12-05T12:00:60Z",
        "0000-12-05T12:00:00Z",
    ),
    *(
        "2026-12-05T12:00:00Z ",
        "２０２６-12-05T12:00:00Z",
        "20261205T120000Z",
        "-2026-12-05T12:00:00Z",
        "2026-12-05T12:00:00,5Z",
    ),
]


@pytest.mark.parametrize("text", INSTANTS)
def test_texts_that_are_no_instant(tmp_path: Path, text: str) -> None:
    for file, path in (
        ("terms.json", ("opens_at",)),
        ("terms.json", ("closes_at",)),
        ("result.json", ("first_started_at",)),
        ("result.json", ("protocol", "sealed_at")),
    ):
        content = dump(broken.replaced(DOCUMENTS[file], path, text))
        assert_refused(run_with(tmp_path, file, content), file, "BAD_VALUE")


CONTRADICTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "closing before opening": ({"closes_at": "2026-12-01T05:59:59Z"}, "BAD_VALUE"),
    "closing at opening": ({"closes_at": "2026-12-01T06:00:00Z"}, "BAD_VALUE"),
    "shares over 1": ({"jackpot_share": "0.26"}, "BAD_VALUE"),
    "shares under 1": ({"jackpot_share": "0.24"}, "BAD_VALUE"),
    "a price of both kinds": ({"price": {"line": 10, "min": 10, "max": 100}}, "UNKNOWN_KEY"),
    "a price of no kind": ({"price": {}}, "MISSING_KEY"),
    "a free price": ({"price": {"line": 0}}, "BAD_VALUE"),
    "a highest stake under the lowest": ({"price": {"min": 10, "max": 9}}, "BAD_VALUE"),
    "format 2": ({"format": 2}, "BAD_VALUE"),
    "an unknown game": ({"game": "lotto"}, "BAD_VALUE"),
    "no conditions": ({"conditions": []}, "BAD_VALUE"),
    "no levels": ({"levels": [], "guarantee": {}, "jackpot": None, "jackpot_share": "1"}, "BAD_VALUE"),
    "monotone with a minimum": ({"monotone": True, "max_dividend": None}, "BAD_VALUE"),
    "a guarantee for no level": ({"guarantee": {"none": 5}}, "UNKNOWN_KEY"),
    "a jackpot for no level": ({"jackpot": {"level": "none", "share": "1"}}, "BAD_VALUE"),
    "more signers than members": ({"quorum": {"members": ["Ann"], "need": 2}}, "BAD_VALUE"),
    "nobody must sign": ({"quorum": {"members": ["Ann"], "need": 0}}, "BAD_VALUE"),
    "a member twice": ({"quorum": {"members": ["Ann", "Ann"], "need": 2}}, "BAD_VALUE"),
    "a step of nothing": ({"rounding": {"mode": "down", "step": 0, "of": "winning"}}, "BAD_VALUE"),
    "no line allowed": ({"max_lines": 0}, "BAD_VALUE"),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_terms_that_contradict_themselves(tmp_path: Path, case: str) -> None:
    changes, code = CONTRADICTIONS[case]
    content = dump({**DOCUMENTS["terms.json"], **changes})
    assert_refused(run_with(tmp_path, "terms.json", content), "terms.json", code)


LEVELS = {
    "ranges that overlap": [("a", "1/3", "2/3"), ("b", "2/3", "1")],
    "one range inside another": [("a", "0", "1"), ("b", "1/3", "2/3")],
    "the same range twice": [("a", "1", "1"), ("b", "1", "1")],
    "a range upside down": [("a", "1", "2/3"), ("b", "1/3", "1/3")],
    "a code twice": [("a", "1", "1"), ("a", "2/3", "2/3")],
    "a range over 1": [("a", "1", "4/3"), ("b", "2/3", "2/3")],
}


@pytest.mark.parametrize("case", LEVELS)
def test_levels_that_cannot_stand_together(tmp_path: Path, case: str) -> None:
    """D-7: ranges do not overlap, a bet is on at most one level."""
    levels = [{"code": code, "from": low, "to": high, "share": "1/2"} for code, low, high in LEVELS[case]]
    changes: dict[str, Any] = {"levels": levels, "jackpot_share": "0", "guarantee": {}, "jackpot": None}
    content = dump({**DOCUMENTS["terms.json"], **changes})
    assert_refused(run_with(tmp_path, "terms.json", content), "terms.json", "BAD_VALUE")


RESULTS: dict[str, tuple[dict[str, Any], str]] = {
    "a condition without a right outcome": ({"1": [], "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "an outcome that was not announced": ({"1": ["3"], "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "an outcome twice": ({"1": ["1", "1"], "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "an outcome outside a list": ({"1": "1", "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "void inside a list": ({"1": ["void"], "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "Void with a capital": ({"1": "Void", "2": ["1"], "3": ["A"]}, "BAD_VALUE"),
    "a condition left out": ({"1": ["1"], "2": ["1"]}, "MISSING_KEY"),
    "a condition that was not announced": ({"1": ["1"], "2": ["1"], "3": ["A"], "4": ["A"]}, "UNKNOWN_KEY"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_results_that_do_not_fit_the_terms(tmp_path: Path, case: str) -> None:
    conditions, code = RESULTS[case]
    content = dump({**DOCUMENTS["result.json"], "conditions": conditions})
    assert_refused(run_with(tmp_path, "result.json", content), "result.json", code)


def test_a_cancelled_ticket_that_nobody_holds(tmp_path: Path) -> None:
    content = dump({"cancelled": ["T-0003", "T-0099"]})
    assert_refused(run_with(tmp_path, "state.json", content), "state.json", "UNKNOWN_TICKET")
