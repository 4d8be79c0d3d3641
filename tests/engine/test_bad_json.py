"""Broken terms, results, states and tallies: always `CODE: message` and exit 2, never a traceback."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine import broken
from tests.engine.bundles import Run, dump, engine, write_bundle

DOCUMENTS = {
    "terms.json": broken.full_terms(),
    "result.json": broken.full_result(),
    "state.json": broken.full_state(),
    "tally.json": broken.full_tally(),
}
MESSAGE = re.compile(r"([A-Z_]+): [^\n]+\n")

OPTIONAL = {
    "terms.json": {
        *(
            "max_lines",
            "quorum.members.0",
            "quorum.members.1",
            "rounding",
            "min_dividend",
            "max_dividend",
            "guarantee",
            "monotone",
        ),
        *("void_condition", "min_valid_conditions", "min_turnover", "jackpot", "quorum"),
        *("rounding.mode", "rounding.step", "rounding.of", "guarantee.all", "pool.name.en"),
        *("levels.0.empty", "levels.0.min_dividend", "levels.1.min_dividend"),
        *("conditions.0.name.en", "conditions.1.name.en", "conditions.2.outcomes.0.name"),
        "conditions.2.outcomes.0.name.be",
    },
    "result.json": {
        *("event_void", "signatures", "signatures.0", "protocol.version", "protocol.previous", "protocol.evidence"),
        *("protocol.dissent", "protocol.evidence.0", "protocol.dissent.0", "conditions.2.0", "conditions.2.1"),
        *(f"protocol.evidence.0.{key}" for key in ("condition", "source", "captured_at", "digest")),
    },
    "state.json": {"jackpot_in", "carried", "carried.all", "carried.two", "cancelled", "cancelled.0"},
    "tally.json": {"refunds", "returned", "jackpot_in", "carried", "carried.all", "levels.all.bets", "levels.two.bets"},
}


def run_with(directory: Path, file: str, content: bytes) -> Run:
    """Run the command that reads a file, with everything else in order."""
    write_bundle(
        directory, DOCUMENTS["terms.json"], broken.some_bets(), DOCUMENTS["result.json"], DOCUMENTS["state.json"]
    )
    (directory / "tally.json").write_bytes(dump(DOCUMENTS["tally.json"]))
    (directory / file).write_bytes(content)
    return engine("dividends" if file == "tally.json" else "settle", directory)


def assert_refused(run: Run, file: str, *codes: str) -> None:
    message = MESSAGE.fullmatch(run.err)
    assert run.code == 2, run
    assert message, run
    assert message[1] in (codes or broken.CODES), run
    assert run.out == ""
    assert file in run.err or file == "terms.json"  # against broken terms, a file that fits the whole ones is wrong


def accepted(directory: Path, file: str, kind: str) -> set[str]:
    """Put a wrong value in every place of a file, one at a time; return the places where it was taken."""
    taken = set()
    for path in broken.places(DOCUMENTS[file]):
        content = dump(broken.replaced(DOCUMENTS[file], path, broken.WRONG[kind]))
        run = run_with(directory, file, content)
        if run.code == 0:
            taken.add(broken.name(path))
        else:
            assert_refused(run, file)
    return taken


@pytest.mark.parametrize("file", DOCUMENTS)
def test_the_unbroken_documents_are_taken(tmp_path: Path, file: str) -> None:
    run = run_with(tmp_path, file, dump(DOCUMENTS[file]))
    assert (run.code, run.err) == (0, "")


@pytest.mark.parametrize("file", DOCUMENTS)
def test_every_key_that_is_not_optional_is_missed(tmp_path: Path, file: str) -> None:
    taken = set()
    for path in broken.places(DOCUMENTS[file]):
        if not path:
            continue
        run = run_with(tmp_path, file, dump(broken.without(DOCUMENTS[file], path)))
        if run.code == 0:
            taken.add(broken.name(path))
        else:
            assert_refused(run, file)
    assert taken == OPTIONAL[file]


@pytest.mark.parametrize("file", DOCUMENTS)
def test_a_key_too_many_is_refused_in_every_object(tmp_path: Path, file: str) -> None:
    objects = [path for path in broken.places(DOCUMENTS[file]) if isinstance(broken.at(DOCUMENTS[file], path), dict)]
    for path in objects:
        content = dump(broken.replaced(DOCUMENTS[file], (*path, "surprise!"), 1))
        assert_refused(run_with(tmp_path, file, content), file, "UNKNOWN_KEY")


@pytest.mark.parametrize("file", DOCUMENTS)
@pytest.mark.parametrize("kind", broken.WRONG)
def test_wrong_values_are_refused_but_where_they_are_right(tmp_path: Path, file: str, kind: str) -> None:
    assert accepted(tmp_path, file, kind) == TAKEN.get((file, kind), set())


NAMES = {"conditions.0.name.en", "conditions.1.name.en", "conditions.2.outcomes.0.name.be", "pool.name.en"}
LIMITS = {"min_dividend", "max_dividend", "levels.0.min_dividend", "levels.1.min_dividend"}
CARRIED_TEXTS = {
    "protocol.previous",
    "protocol.evidence.0.condition",
    "protocol.evidence.0.source",
    "protocol.dissent.0",
}

# (file, wrong value) -> the places where that value is right: null for what may be absent, any text for what only
# people read, nothing in a list or an object that may be empty.
TAKEN = {
    ("terms.json", "null"): {*LIMITS, "jackpot", "quorum"},
    ("terms.json", "text"): {*NAMES, "pool.code", "quorum.members.0", "quorum.members.1"},
    ("terms.json", "empty text"): NAMES,
    ("terms.json", "empty object"): {
        *("conditions.0.name", "conditions.1.name", "conditions.2.name", "conditions.2.outcomes.0.name", "pool.name"),
        *("guarantee", "rounding"),
    },
    ("result.json", "null"): {"protocol.previous"},
    ("result.json", "true"): {"event_void"},
    ("result.json", "text"): {*CARRIED_TEXTS, "protocol.number", "signatures.0.member"},
    ("result.json", "empty text"): {*CARRIED_TEXTS, "signatures.0.signature"},
    ("result.json", "empty list"): {"protocol.evidence", "protocol.dissent", "signatures"},
    ("result.json", "empty object"): {"protocol.evidence.0", "protocol.dissent.0"},
    ("state.json", "empty list"): {"cancelled"},
    ("state.json", "empty object"): {"", "carried"},
    ("tally.json", "null"): {"levels.all.bets", "levels.two.bets"},
    ("tally.json", "true"): {"returned"},
    ("tally.json", "empty object"): {"carried"},
}

NOT_JSON = {
    "nothing": b"",
    "a newline": b"\n",
    "a word": b"terms",
    "two documents": b"{}\n{}\n",
    "a comma too many": b'{"a": 1,}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "a key twice": b'{"a": 1, "a": 1}',
    "a key twice, deep": b'{"a": [{"b": 1, "b": 2}]}',
    "bad UTF-8": b'{"a": "\xff\xfe"}',
    "a cut UTF-8 letter": b'{"a": "\xd0',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "a NUL": b'{"a": "\x00"}',
    "deep nesting": b"[" * 100_000,
    "deep nesting of objects": b'{"a":' * 100_000,
    "a comment": b"{} // nothing",
}


@pytest.mark.parametrize("file", DOCUMENTS)
@pytest.mark.parametrize("kind", NOT_JSON)
def test_what_is_not_json(tmp_path: Path, file: str, kind: str) -> None:
    assert_refused(run_with(tmp_path, file, NOT_JSON[kind]), file, "BAD_JSON")


@pytest.mark.parametrize("file", DOCUMENTS)
def test_a_truncated_file(tmp_path: Path, file: str) -> None:
    whole = dump(DOCUMENTS[file])
    for size in range(0, len(whole) - 2, 17):
        assert_refused(run_with(tmp_path, file, whole[:size]), file, "BAD_JSON")


@pytest.mark.parametrize("file", DOCUMENTS)
def test_windows_line_ends_are_layout(tmp_path: Path, file: str) -> None:
    """JSON that is read may have any layout."""
    assert run_with(tmp_path, file, dump(DOCUMENTS[file]).replace(b"\n", b"\r\n")).code == 0


@pytest.mark.parametrize("literal", ["1" * 31, "9" * 5000, "-" + "9" * 5000, "1e5", "1E400", "0.1", "-0.0"])
@pytest.mark.parametrize("file", DOCUMENTS)
def test_numbers_that_no_sum_has(tmp_path: Path, file: str, literal: str) -> None:
    key = {"terms.json": "min_turnover", "result.json": "event_void"}.get(file, "jackpot_in")
    content = json.dumps({**DOCUMENTS[file], key: "HERE"}).replace('"HERE"', literal).encode()
    assert_refused(run_with(tmp_path, file, content), file, "BAD_VALUE")


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


def test_more_refunded_than_staked(tmp_path: Path) -> None:
    content = dump({**DOCUMENTS["tally.json"], "refunds": 1001})
    assert_refused(run_with(tmp_path, "tally.json", content), "tally.json", "BAD_VALUE")


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1", "1/2", "void"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(DOCUMENTS)), st.data())
@settings(max_examples=300, deadline=None)
def test_anything_anywhere_is_taken_or_refused_in_one_line(file: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(broken.places(DOCUMENTS[file]))))
    content = json.dumps(broken.replaced(DOCUMENTS[file], path, data.draw(ANYTHING))).encode()
    with TemporaryDirectory() as folder:
        run = run_with(Path(folder), file, content)
    if run.code != 0:
        assert_refused(run, file)


@given(st.sampled_from(sorted(DOCUMENTS)), st.integers(0, 10**6), st.binary(max_size=4), st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_bytes_changed_anywhere_are_taken_or_refused_in_one_line(file: str, at: int, new: bytes, drop: int) -> None:
    whole = dump(DOCUMENTS[file])
    at %= len(whole)
    with TemporaryDirectory() as folder:
        run = run_with(Path(folder), file, whole[:at] + new + whole[at + drop :])
    if run.code != 0:
        assert_refused(run, file)
