"""`verify-log` and `verify-growth`: a change anywhere, a line gone, a second history are found and named (X1, X6)."""

import json
from pathlib import Path

import pytest

from tests.engine.bundles import Document, Run, dump, engine
from tests.engine.logged import (
    NAME,
    growth_document,
    head_of,
    line,
    logged_bundle,
    write_head,
    write_log,
)
from tests.engine.signed import keys_file
from tests.engine.test_verify import flips
from totalizator.engine.canonical import json_file

FEW = [line(number, "commitment", f"pool-{number}", b"%d" % number, number) for number in range(7)]


def verify(log: Path, *options: str | Path) -> Run:
    return engine("verify-log", log, "--keys", keys_file(log.parent / "keys.json"), *options)


def differs(run: Run, said: str) -> None:
    assert (run.code, run.err) == (1, "")
    assert run.out == f"{said}\n"


def test_a_whole_log_is_right_and_its_bundle_in_it(tmp_path: Path) -> None:
    bundle, lines = logged_bundle(tmp_path / "pool")
    log = write_log(tmp_path / "log.jsonl", lines)
    kept = [write_head(tmp_path / f"{size}.json", head_of(lines[:size])) for size in (1, 4, 7)]
    run = verify(log, "--head", kept[0], "--head", kept[1], "--head", kept[2], "--bundle", bundle)
    fixed = "the bets of T-1 were fixed in line 2, at 2026-12-05T11:02:00.000000Z"
    assert (run.code, run.err) == (0, "")
    assert run.out == f"OK\n{fixed}\n7 lines, head of 2026-12-05T17:00:00.000000Z\n"


def test_without_keys_the_verdict_says_what_was_not_checked(tmp_path: Path) -> None:
    run = engine("verify-log", write_log(tmp_path / "log.jsonl", FEW))
    assert run.out == "OK\n7 lines, head of 2026-12-05T17:00:00.000000Z\nsignatures not checked\n"


def test_one_character_changed_anywhere_is_found(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", FEW[:3])
    whole = log.read_bytes()
    for changed in flips(whole, len(whole)):
        log.write_bytes(changed)
        run = verify(log)
        assert (run.code, run.err, run.out.count("\n")) == (1, "", 1), (changed, run)
        assert "log.jsonl, line " in run.out


def test_one_character_changed_in_a_kept_head_is_found(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", FEW)
    kept = tmp_path / "kept.json"
    kept.write_bytes(json_file(head_of(FEW[:4])))
    assert verify(log, "--head", kept).code == 0
    whole = kept.read_bytes()
    for changed in flips(whole, len(whole)):
        kept.write_bytes(changed)
        run = verify(log, "--head", kept)
        assert (run.code, run.err, run.out.count("\n")) == (1, "", 1), (changed, run)
        assert "kept.json" in run.out


def test_an_unsigned_flip_of_a_line_is_found_by_the_root_alone(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", FEW)
    text = log.read_bytes()
    log.write_bytes(text.replace(b'"pool-3"', b'"pool-8"'))
    run = engine("verify-log", log)
    assert run.code == 1
    assert run.out.startswith("log.jsonl, line 8, root: ")
    kept = write_head(tmp_path / "kept.json", head_of(FEW[:5]))
    assert engine("verify-log", log, "--head", kept).out == run.out, "a changed file, not a second history"


@pytest.mark.parametrize("gone", range(7))
def test_a_line_taken_out_is_found_even_when_the_rest_is_signed_again(tmp_path: Path, gone: int) -> None:
    log = write_log(tmp_path / "log.jsonl", [*FEW[:gone], *FEW[gone + 1 :]])
    run = verify(log, "--head", write_head(tmp_path / "kept.json", head_of(FEW)))
    assert run.code == 1
    said = f"log.jsonl, line {gone + 1}, index: {gone + 1} in the line, {gone} expected"
    shorter = "kept.json, size: 7 lines then, 6 now: lines are gone, or this copy is older"
    assert run.out.strip() == shorter
    assert verify(log).out.strip() == said or gone == 6


def test_a_second_history_is_named_as_a_split_view(tmp_path: Path) -> None:
    """Both histories are whole and rightly signed: only who kept a head can tell."""
    other = [*FEW[:3], line(3, "commitment", "pool-3", b"rewritten", 3), *FEW[4:]]
    log = write_log(tmp_path / "log.jsonl", other)
    assert verify(log).code == 0
    assert verify(log, "--head", write_head(tmp_path / "early.json", head_of(FEW[:3]))).code == 0
    for size in (4, 7):
        run = verify(log, "--head", write_head(tmp_path / "kept.json", head_of(FEW[:size])))
        old, new = head_of(FEW[:size])["root"], head_of(other[:size])["root"]
        differs(
            run,
            f"kept.json: split view: {old} in the head of {size} lines, {new} computed from the lines",
        )


def test_a_head_of_another_log_and_one_from_the_future_are_named(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", FEW)
    another = write_head(tmp_path / "kept.json", head_of(FEW[:2], log="Elsewhere"))
    differs(verify(log, "--head", another), f"kept.json, log: a head of another log, 'Elsewhere', not of {NAME!r}")
    late = write_head(tmp_path / "kept.json", head_of(FEW[:2], at="2026-12-05T17:00:01Z"))
    differs(
        verify(log, "--head", late),
        "kept.json, at: 2026-12-05T17:00:01.000000Z, later than the longer log's head of 2026-12-05T17:00:00.000000Z",
    )


def rewritten(place: int, **changes: object) -> bytes:
    document = {**json.loads(FEW[place]), **changes}
    return json_file(document)[:-1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (rewritten(2, at="2026-12-05T11:00:59Z"), "log.jsonl, line 3, at: 2026-12-05T11:00:59.000000Z is before"),
        (rewritten(2, subject="pool-1"), "log.jsonl, line 3: a second commitment of 'pool-1', after that of line 2"),
        (rewritten(2, index=3), "log.jsonl, line 3, index: 3 in the line, 2 expected"),
        (rewritten(2, kind="gossip"), "BAD_VALUE: log.jsonl, line 3, kind: one of commitment, protocol, settlement"),
        (rewritten(2, version=0), "BAD_VALUE: log.jsonl, line 3, version: a whole number from 1, not 0"),
        (rewritten(2, more=1), "UNKNOWN_KEY: log.jsonl, line 3, more: no such key"),
        (b" " + FEW[2], "BAD_VALUE: log.jsonl, line 3: keys sorted, no spaces"),
        (b"", "BAD_JSON: log.jsonl, line 3, line 1: JSON"),
    ],
)
def test_a_line_that_is_wrong_in_itself_is_named_though_its_head_is_signed(
    tmp_path: Path, changed: bytes, said: str
) -> None:
    run = verify(write_log(tmp_path / "log.jsonl", [*FEW[:2], changed, *FEW[3:]]))
    assert run.code == 1
    assert run.out.startswith(said)


def test_a_head_dated_before_its_last_line_is_named(tmp_path: Path) -> None:
    run = verify(write_log(tmp_path / "log.jsonl", FEW, head_of(FEW, at="2026-12-05T11:05:00Z")))
    differs(
        run, "log.jsonl, line 8, at: 2026-12-05T11:05:00.000000Z is before the line above, 2026-12-05T11:06:00.000000Z"
    )


def test_a_head_by_another_key_or_by_none_is_named(tmp_path: Path) -> None:
    run = verify(write_log(tmp_path / "log.jsonl", FEW, head_of(FEW, key="Ann")))
    assert run.code == 0, "Ann's key is among the keys"
    run = verify(write_log(tmp_path / "log.jsonl", FEW, head_of(FEW, key="Eve")))
    differs(run, "log.jsonl, line 8, signatures: the one by 'Eve' is by a key that is not among the keys")
    unsigned = {name: value for name, value in head_of(FEW).items() if name != "signatures"}
    run = verify(write_log(tmp_path / "log.jsonl", FEW, unsigned))
    differs(run, "log.jsonl, line 8, signatures: not signed")


def test_a_cut_or_empty_log_is_named_and_a_missing_one_is_bad_input(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", FEW)
    whole = log.read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        log.write_bytes(whole[:size])
        assert verify(log).code == 1
    log.unlink()
    run = verify(log)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("MISSING_FILE: log.jsonl: ")


def growth(tmp_path: Path, document: Document) -> Run:
    (tmp_path / "proof.json").write_bytes(dump(document))
    return engine("verify-growth", tmp_path / "proof.json", "--keys", keys_file(tmp_path / "keys.json"))


def test_growth_between_two_heads_is_proved_without_any_lines(tmp_path: Path) -> None:
    for second in range(1, 8):
        for first in range(1, second + 1):
            run = growth(tmp_path, growth_document(FEW, first, second))
            assert (run.code, run.out) == (0, f"OK\n{first} lines grew to {second}\n")


def test_x6_two_heads_of_one_size_and_heads_that_did_not_grow_are_named(tmp_path: Path) -> None:
    other = [*FEW[:3], line(3, "commitment", "pool-3", b"rewritten", 3), *FEW[4:]]
    document = growth_document(FEW, 7, 7)
    document["second"] = head_of(other)
    differs(growth(tmp_path, document), "proof.json, path: split view: does not lead from 7 lines to 7")
    document = growth_document(FEW, 5, 7)
    document["second"] = head_of(other)
    differs(growth(tmp_path, document), "proof.json, path: does not lead from 5 lines to 7")


def test_one_character_changed_in_a_proof_of_growth_is_found(tmp_path: Path) -> None:
    proof, keys = tmp_path / "proof.json", keys_file(tmp_path / "keys.json")
    whole = json_file(growth_document(FEW, 3, 7))
    for changed in flips(whole, len(whole)):
        proof.write_bytes(changed)
        run = engine("verify-growth", proof, "--keys", keys)
        assert (run.code, run.err, run.out.count("\n")) == (1, "", 1), (changed, run)
        assert "proof.json" in run.out
