"""Broken terms, results, states and tallies: always `CODE: message` and exit 2, never a traceback."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine import broken
from tests.engine.bundles import dump
from tests.engine.refusals import DOCUMENTS, assert_refused, run_with

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
