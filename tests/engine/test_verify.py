"""`verify` and `prove`: one character changed anywhere is found (X1-X3, G4)."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from tests.engine.bundles import Run, engine, read, write_bundle
from tests.engine.signed import FILES, keys_file, quorum_terms, signed_bundle, some_bets
from totalizator.engine.merkle import leaf_hash, verify_inclusion

COMPUTED = ("tally.json", "statement.json", "winnings.csv")


def verify(directory: Path, keys: Path | None = None) -> Run:
    return engine("verify", directory, *(("--keys", keys) if keys else ()))


def neighbour(byte: int) -> int:
    """The next digit, or the byte with its lowest bit flipped, so that most changes are still well formed."""
    return 48 + (byte - 47) % 10 if 48 <= byte <= 57 else byte ^ 1


def flips(content: bytes, count: int) -> list[bytes]:
    """About `count` copies of a file, each with one byte changed, from its first to its last."""
    step = max(1, len(content) // count)
    spots = {*range(0, len(content), step), len(content) - 1}
    return [content[:at] + bytes([neighbour(content[at])]) + content[at + 1 :] for at in sorted(spots)]


def same_document(left: bytes, right: bytes) -> bool:
    """Whether two texts are the same JSON in another layout, which is nobody's business."""
    try:
        return bool(json.loads(left) == json.loads(right))
    except ValueError:
        return False


def test_a_whole_signed_bundle_is_right(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    run = verify(directory, keys_file(tmp_path / "keys.json"))
    assert (run.code, run.out, run.err) == (0, "OK\n", "")


def test_without_keys_the_verdict_says_what_was_not_checked(tmp_path: Path) -> None:
    run = verify(signed_bundle(tmp_path / "pool"))
    assert (run.code, run.out) == (0, "OK\nsignatures not checked\n")


@pytest.mark.parametrize("file", FILES)
def test_one_character_changed_anywhere_is_found(tmp_path: Path, file: str) -> None:
    directory, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    whole = (directory / file).read_bytes()
    for changed in flips(whole, 150):
        if file == "manifest.json" and same_document(changed, whole):
            continue  # nothing lists the manifest's own layout; its signature covers the rest
        (directory / file).write_bytes(changed)
        run = verify(directory, keys)
        assert run.code == 1, (changed, run)
        assert run.out.count("\n") == 1
        assert run.err == ""
    (directory / file).write_bytes(whole)
    assert verify(directory, keys).code == 0


@pytest.mark.parametrize("file", [*COMPUTED, "terms.json", "bets.csv", "result.json"])
def test_a_change_is_found_without_the_manifest_too(tmp_path: Path, file: str) -> None:
    """By computing again, by the commitment or by a signature: what a digest finds, the sums must find."""
    directory, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    (directory / "manifest.json").unlink()
    whole = (directory / file).read_bytes()
    for changed in flips(whole, 150):
        if file.endswith(".json") and file != "terms.json" and same_document(changed, whole):
            continue
        (directory / file).write_bytes(changed)
        run = verify(directory, keys)
        assert run.code == 1, (changed, run)


@pytest.mark.parametrize("file", FILES)
def test_a_truncated_or_emptied_file_is_found(tmp_path: Path, file: str) -> None:
    directory = signed_bundle(tmp_path / "pool")
    whole = (directory / file).read_bytes()
    for size in {0, 1, len(whole) // 3, len(whole) - 2}:
        (directory / file).write_bytes(whole[:size])
        run = verify(directory)
        assert (run.code, run.out.count("\n"), run.err) == (1, 1, "")


@pytest.mark.parametrize("file", [name for name in FILES if name != "manifest.json"])
def test_a_file_taken_away_is_found(tmp_path: Path, file: str) -> None:
    directory = signed_bundle(tmp_path / "pool")
    (directory / file).unlink()
    run = verify(directory)
    assert (run.code, run.err) == (1, "")
    assert file in run.out or file == "state.json"  # without a state, other sums come out


@pytest.mark.parametrize("file", FILES)
def test_a_folder_in_the_place_of_a_file_is_found(tmp_path: Path, file: str) -> None:
    directory = signed_bundle(tmp_path / "pool")
    (directory / file).unlink()
    (directory / file).mkdir()
    run = verify(directory)
    assert (run.code, run.err) == (1, "")
    assert file in run.out


def test_the_first_difference_is_named(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    statement = read(directory / "statement.json")
    statement["levels"][1]["paid"] += 1
    (directory / "statement.json").write_text(json.dumps(statement))
    out = verify(directory).out
    assert "statement.json" in out
    assert "levels[1].paid" in out


def test_a_bet_dropped_added_or_altered_after_closing_is_found(tmp_path: Path) -> None:
    """G4, X1: the root and the count were published at closing."""
    original = signed_bundle(tmp_path / "pool")
    header, *lines = (original / "bets.csv").read_text().splitlines()
    extra = lines[-1].replace("T-0005", "T-0006")
    altered = lines[0].replace("1;X;2", "1;X;1")
    for name, kept in {"dropped": lines[:-1], "added": [*lines, extra], "altered": [altered, *lines[1:]]}.items():
        directory = copytree(original, tmp_path / name)
        (directory / "bets.csv").write_text("\n".join([header, *kept, ""]))
        engine("settle", directory)  # even with everything after it made to fit
        (directory / "manifest.json").unlink()
        run = verify(directory)
        assert run.code == 1
        assert "commitment.json" in run.out


def test_a_bundle_at_closing_verifies_as_far_as_it_goes(tmp_path: Path) -> None:
    directory, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    for later in ("result.json", "state.json", *COMPUTED, "manifest.json"):
        (directory / later).unlink()
    run = verify(directory, keys)
    assert run.code == 0
    assert run.out.startswith("OK\n")


def test_every_ticket_is_proved_against_the_published_root(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    commitment = read(directory / "commitment.json")
    lines = (directory / "bets.csv").read_text().splitlines()[1:]
    for index, line in enumerate(lines):
        run = engine("prove", directory, line.partition(",")[0])
        proof = json.loads(run.out)
        assert run.code == 0
        assert (proof["line"], proof["index"], proof["count"]) == (line, index, len(lines))
        assert (proof["pool"], proof["root"]) == (commitment["pool"], commitment["merkle_root"])
        path = [bytes.fromhex(node) for node in proof["path"]]
        assert verify_inclusion(leaf_hash(line.encode()), index, len(lines), path, bytes.fromhex(proof["root"]))


@pytest.mark.parametrize("ticket", ["T-0099", "", "T-000", "T-00011", "1;X;2", "\n", "T-0001,", "Т-0001"])
def test_no_proof_for_a_ticket_that_is_not_there(tmp_path: Path, ticket: str) -> None:
    run = engine("prove", signed_bundle(tmp_path / "pool"), ticket)
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("UNKNOWN_TICKET: ")
    assert run.err.count("\n") == 1


def test_an_empty_pool_verifies(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    write_bundle(directory, quorum_terms(), [], read(directory / "result.json"), {})
    for file in ("commitment.json", "manifest.json", *COMPUTED):
        (directory / file).unlink()
    assert engine("settle", directory).code == 0
    assert verify(directory).code == 0
    assert (directory / "winnings.csv").read_text() == "ticket,level,lines,amount\n"
    assert some_bets()
