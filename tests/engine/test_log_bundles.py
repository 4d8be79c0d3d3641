"""`verify-log --bundle`: what is published of a pool stands in the log, once, in its order, and in time (X1, X6)."""

import json
from pathlib import Path

import pytest

from tests.engine.logged import (
    line,
    lines_of,
    logged_bundle,
    write_log,
)
from tests.engine.signed import entry, sign_result
from tests.engine.test_log import differs, verify
from totalizator.engine.canonical import digest, json_file
from totalizator.engine.log import entry_line
from totalizator.engine.manifest import build_manifest, manifest_payload


def logged(tmp_path: Path, order: list[int], **changes: bytes) -> tuple[Path, Path]:
    """A bundle and its log in another order of lines, or with other documents at some of them."""
    bundle, lines = logged_bundle(tmp_path / "pool")
    documents = [json.loads(lines[place]) for place in order]
    again = []
    for index, document in enumerate(documents):
        again.append(json_file({**document, "index": index, "at": f"2026-12-05T11:0{index}:00.000000Z"})[:-1])
    return bundle, write_log(tmp_path / "log.jsonl", again)


def test_x1_the_bundles_documents_stand_in_the_log_in_their_order(tmp_path: Path) -> None:
    bundle, log = logged(tmp_path, [1, 5, 3])
    differs(verify(log, "--bundle", bundle), "log.jsonl, line 2: manifest.json of T-1 stands before result.json")


@pytest.mark.parametrize(("gone", "file"), [(1, "commitment.json"), (3, "result.json"), (5, "manifest.json")])
def test_x1_a_document_that_is_not_in_the_log_is_named(tmp_path: Path, gone: int, file: str) -> None:
    bundle, log = logged(tmp_path, [place for place in range(7) if place != gone])
    differs(verify(log, "--bundle", bundle), f"log.jsonl: has no line for 'pool', {file}")


def test_x1_bets_fixed_only_after_the_first_start_are_named(tmp_path: Path) -> None:
    bundle, lines = logged_bundle(tmp_path / "pool")
    late = json_file({**json.loads(lines[1]), "index": 0, "at": "2026-12-05T11:30:00.000000Z"})[:-1]
    rest = [json_file({**json.loads(lines[place]), "index": 1 + n})[:-1] for n, place in enumerate((3, 5))]
    differs(
        verify(write_log(tmp_path / "log.jsonl", [late, *rest]), "--bundle", bundle),
        "log.jsonl, line 1, at: the bets of T-1 were fixed at 2026-12-05T11:30:00.000000Z,"
        " not before the first start at 2026-12-05T11:30:00.000000Z",
    )


def test_a_bundle_that_is_not_settled_yet_says_so(tmp_path: Path) -> None:
    bundle, lines = logged_bundle(tmp_path / "pool")
    for name in ("result.json", "manifest.json"):
        (bundle / name).unlink()
    run = verify(write_log(tmp_path / "log.jsonl", lines[:2]), "--bundle", bundle)
    assert (run.code, run.out.splitlines()[2]) == (0, "pool: not there: result.json, manifest.json")


@pytest.mark.parametrize("kind", ["protocol", "settlement", "correction"])
def test_of_each_version_one_document_is_published(tmp_path: Path, kind: str) -> None:
    """Two settlements of a pool would be two histories under one head."""
    lines = [line(0, kind, "pool-1", b"one", 1), line(1, kind, "pool-2", b"another pool's", 2)]
    assert verify(write_log(tmp_path / "log.jsonl", lines)).code == 0
    lines.append(line(2, kind, "pool-1", b"two", 3))
    differs(
        verify(write_log(tmp_path / "log.jsonl", lines)),
        f"log.jsonl, line 3: a second {kind} of 'pool-1', after that of line 1",
    )


def test_a_bundle_is_settled_by_the_newest_protocol_before_its_settlement(tmp_path: Path) -> None:
    folder, lines = logged_bundle(tmp_path / "pool")
    at = "2026-12-05T12:31:00Z"
    newer = entry_line(index=5, kind="correction", subject="T-1", version=2, digest=digest(b"2"), at=at)
    manifest = (folder / "manifest.json").read_bytes()
    before, after = [*lines[:5], newer], [*lines[:5], line(5, "settlement", "T-1", manifest, 92)]
    before.append(line(6, "settlement", "T-1", manifest, 92))
    after.append(line(6, "correction", "T-1", b"2", 93))
    differs(
        verify(write_log(tmp_path / "log.jsonl", before), "--bundle", folder),
        "log.jsonl, line 6: result.json of T-1 was corrected before it was settled, and this is not the corrected one",
    )
    assert verify(write_log(tmp_path / "log.jsonl", after), "--bundle", folder).code == 0


def test_a_settled_bundle_has_what_the_log_had_of_the_pool_by_then(tmp_path: Path) -> None:
    """Without its commitment, bets that were changed after the match would agree with themselves."""
    for name, place in (("commitment.json", 2), ("result.json", 4)):
        folder, lines = logged_bundle(tmp_path / f"without-{name}")
        (folder / name).unlink()
        differs(
            verify(write_log(tmp_path / "log.jsonl", lines), "--bundle", folder),
            f"'without-{name}': {name} is not there, and is in log.jsonl, line {place}",
        )


def test_each_cancelled_bet_has_its_line_and_each_line_its_cancelled_bet(tmp_path: Path) -> None:
    folder, lines = logged_bundle(tmp_path / "pool")
    untold = [*lines[:4], line(4, "journal", "journal", b"d", 91), *lines[5:]]
    differs(
        verify(write_log(tmp_path / "log.jsonl", untold), "--bundle", folder),
        "log.jsonl: has no line of the cancelled bet T-0003 before the settlement of T-1",
    )
    more = [*lines[:5], line(5, "correction", "T-1-7", b"f", 92), line(6, "settlement", "T-1", _manifest(folder), 92)]
    differs(
        verify(write_log(tmp_path / "log.jsonl", more), "--bundle", folder),
        "state.json, cancelled: is not told of the cancelled bet T-1-7 before the settlement of T-1",
    )
    later = [*lines, line(7, "correction", "T-1-7", b"f", 93)]  # cancelled after the settlement, which stands (D-3)
    assert verify(write_log(tmp_path / "log.jsonl", later), "--bundle", folder).code == 0


def _manifest(folder: Path) -> bytes:
    return (folder / "manifest.json").read_bytes()


def test_a_protocol_follows_one_that_was_published_before(tmp_path: Path) -> None:
    folder, _lines = logged_bundle(tmp_path / "pool")
    result = json.loads((folder / "result.json").read_bytes())
    for previous, code in ((digest(b"a protocol"), 0), (digest(b"nobody's"), 1)):
        result["protocol"]["previous"] = previous
        (folder / "result.json").write_bytes(json_file(sign_result(result)))
        manifest = build_manifest(folder, "2026-12-05T16:00:00Z")
        manifest["signatures"] = [entry("key", "operator", manifest_payload(manifest))]
        (folder / "manifest.json").write_bytes(json_file(manifest))
        logged = lines_of(folder)
        logged[2] = line(2, "protocol", "third", b"a protocol", 3)
        run = verify(write_log(tmp_path / "log.jsonl", logged), "--bundle", folder)
        assert (run.code, "no line of its previous protocol" in run.out) == (code, bool(code))
