"""`verify-correction`: both settlements, the chain of protocols, and everything in which they differ (H5)."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.engine.bundles import Document, Run, engine, make_result, read, settled
from tests.engine.signed import MEMBERS, entry, keys_file, sign_result, signed_bundle
from tests.engine.test_verify import flips, same_document
from totalizator.engine.canonical import digest, json_file
from totalizator.engine.changes import changed_rows
from totalizator.engine.corrections import build_correction, correction_payload
from totalizator.engine.manifest import build_manifest, manifest_payload

START = "2026-12-05T11:30:00Z"


def signed_correction(before: Path, after: Path, **changes: object) -> None:
    """List what differs, and sign it."""
    (after / "changed.csv").write_bytes(b"".join(changed_rows(before, after)))
    document = build_correction(before, after) | changes
    document["signatures"] = [entry("key", "operator", correction_payload(document))]
    (after / "correction.json").write_bytes(json_file(document))


def settle_by(folder: Path, result: Document) -> None:
    """Settle a bundle by another result, and sign all of it."""
    (folder / "result.json").write_bytes(json_file(sign_result(result)))
    settled(folder)
    manifest = build_manifest(folder, "2026-12-08T16:00:00Z")
    manifest["signatures"] = [entry("key", "operator", manifest_payload(manifest))]
    (folder / "manifest.json").write_bytes(json_file(manifest))


def right_result(before: Path, *right: str, start: str = START, **protocol: object) -> Document:
    """What the result should have been, as version 2 that follows the first."""
    result = make_result(*(right or ("X", "X", "2")), first_started_at=start)
    previous = digest((before / "result.json").read_bytes())
    result["protocol"] |= {"number": "2", "version": 2, "previous": previous, **protocol}
    return result


def two_bundles(tmp_path: Path, *right: str, start: str = START) -> tuple[Path, Path]:
    before = signed_bundle(tmp_path / "before")
    after = tmp_path / "after"
    copytree(before, after)
    settle_by(after, right_result(before, *right, start=start))
    signed_correction(before, after)
    return before, after


def verify(before: Path, after: Path, keys: Path | None = None) -> Run:
    return engine("verify-correction", before, after, *(("--keys", keys) if keys else ()))


def test_a_whole_correction_is_right_and_lists_exactly_what_changed(tmp_path: Path) -> None:
    before, after = two_bundles(tmp_path)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out, run.err) == (0, "OK\n", "")
    assert verify(before, after).out == "OK\nsignatures not checked\n"
    assert (after / "changed.csv").read_text().splitlines() == [
        "ticket,kind,before,after",
        "T-0001,winning,88,115",
        "T-0002,winning,22,34",
        "T-0004,winning,61,23",
    ]
    assert read(after / "correction.json")["sums"] == {
        "refunds": {"before": 75, "after": 75},
        "takeout": {"before": 112, "after": 112},
        "winnings": {"before": 171, "after": 172},
        "added": {"before": 0, "after": 0},
        "jackpot_out": {"before": 79, "after": 78},
    }


@pytest.mark.parametrize(
    ("right", "start", "kinds"),
    [
        (("void", "void", "void"), START, {"winning", "refund"}),
        (("1", "X", "2"), "2026-12-05T12:30:00Z", {"winning", "refund"}),
        (("1", "X", "2"), START, set()),
    ],
    ids=["everything goes back", "a bet was not late", "nothing changes"],
)
def test_winnings_and_returned_stakes_are_told_ticket_by_ticket(
    tmp_path: Path, right: tuple[str, ...], start: str, kinds: set[str]
) -> None:
    before, after = two_bundles(tmp_path, *right, start=start)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out) == (0, "OK\n")
    _header, *rows = (after / "changed.csv").read_text().splitlines()
    assert {row.split(",")[1] for row in rows} == kinds
    sums = read(after / "correction.json")["sums"]
    returned = sum(int(row.split(",")[3]) - int(row.split(",")[2]) for row in rows if row.split(",")[1] == "refund")
    won = sum(int(row.split(",")[3]) - int(row.split(",")[2]) for row in rows if row.split(",")[1] == "winning")
    assert returned == sums["refunds"]["after"] - sums["refunds"]["before"]
    assert won == sums["winnings"]["after"] - sums["winnings"]["before"]


@pytest.mark.parametrize("file", ["correction.json", "changed.csv"])
def test_one_character_changed_anywhere_is_found_and_named(tmp_path: Path, file: str) -> None:
    (before, after), keys = two_bundles(tmp_path), keys_file(tmp_path / "keys.json")
    whole = (after / file).read_bytes()
    for changed in flips(whole, 60):
        if file == "correction.json" and same_document(changed, whole):
            continue
        (after / file).write_bytes(changed)
        run = verify(before, after, keys)
        assert (run.code, file in run.out) == (1, True), (changed, run)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"pool": "other"}, "correction.json, pool: 'other' in the bundle, 'P' computed"),
        ({"version": 3}, "correction.json, version: 3 in the bundle, 2 computed"),
        ({"corrects": 2}, "correction.json, corrects: 2 in the bundle, 1 computed"),
        ({"changed": "sha256:0"}, "correction.json, changed: 'sha256:0' in the bundle, "),
        ({"manifests": {"before": "sha256:0", "after": "sha256:0"}}, "correction.json, manifests.before: "),
    ],
)
def test_what_it_claims_is_computed_again_though_it_is_signed(
    tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    before, after = two_bundles(tmp_path)
    pool = read(before / "terms.json")["pool"]["code"]
    signed_correction(before, after, **changes)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out.startswith(named.replace("'P'", repr(pool)))) == (1, True), run


def test_a_sum_that_is_not_the_statements_is_named(tmp_path: Path) -> None:
    before, after = two_bundles(tmp_path)
    sums = read(after / "correction.json")["sums"]
    sums["winnings"]["after"] += 1
    signed_correction(before, after, sums=sums)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out.startswith("correction.json, sums.winnings.after: ")) == (1, True), run


@pytest.mark.parametrize(
    ("protocol", "named"),
    [
        ({"previous": "sha256:" + "0" * 64}, "result.json, protocol.previous: "),
        ({"version": 1}, "result.json, protocol.version: 1 does not come after 1"),
    ],
)
def test_the_result_has_to_follow_the_one_that_is_corrected(
    tmp_path: Path, protocol: dict[str, Any], named: str
) -> None:
    before, after = two_bundles(tmp_path)
    settle_by(after, right_result(before, **protocol))
    signed_correction(before, after)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out.startswith(named)) == (1, True), run


def test_other_bets_are_no_correction(tmp_path: Path) -> None:
    before, after = two_bundles(tmp_path)
    state = {"jackpot_in": 78, "carried": {"all": 5}, "cancelled": ["T-0003"]}
    (after / "state.json").write_bytes(json_file(state))
    settle_by(after, right_result(before))
    signed_correction(before, after)
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out) == (1, "state.json: not the same file before and after\n")


@pytest.mark.parametrize("which", ["before", "after"])
def test_each_bundle_has_to_be_right_by_itself(tmp_path: Path, which: str) -> None:
    before, after = two_bundles(tmp_path)
    folder = {"before": before, "after": after}[which]
    lines = (folder / "winnings.csv").read_text().splitlines(keepends=True)
    (folder / "winnings.csv").write_text("".join(lines[:-1]))
    run = verify(before, after, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out.startswith(f"{which}, winnings.csv")) == (1, True), run
    (folder / "winnings.csv").unlink()
    run = verify(before, after)
    assert (run.code, run.out.startswith(f"MISSING_FILE: {which}, winnings.csv: ")) == (1, True), run


def test_a_correction_signed_by_a_member_or_nobody_is_none(tmp_path: Path) -> None:
    before, after = two_bundles(tmp_path)
    document = read(after / "correction.json")
    keys = keys_file(tmp_path / "keys.json")
    for signed in ([], [entry("key", MEMBERS[0], correction_payload(document))]):
        (after / "correction.json").write_bytes(json_file(document | {"signatures": signed}))
        run = verify(before, after, keys)
        assert (run.code, run.out.startswith("correction.json, signatures: ")) == (1, True), run


def test_without_a_correction_there_is_nothing_to_be_checked(tmp_path: Path) -> None:
    before, after = two_bundles(tmp_path)
    (after / "correction.json").unlink()
    run = verify(before, after)
    assert (run.code, run.out, run.err.startswith("MISSING_FILE: correction.json: ")) == (2, "", True)
    assert json.loads((before / "result.json").read_bytes())["protocol"]["number"] == "1"
