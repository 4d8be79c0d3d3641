"""What a bundle says of its times is held to its bets and its terms."""

import json
from pathlib import Path

import pytest

from tests.engine.bundles import engine
from tests.engine.signed import entry, keys_file, signed_bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.commitment import commitment_payload
from totalizator.engine.manifest import build_manifest, manifest_payload

LAST_BET = "2026-12-05T11:59:59.999999Z"


def rewritten(folder: Path, *, closed_at: str | None = None, settled_at: str = "2026-12-05T16:00:00Z") -> Path:
    if closed_at is not None:
        commitment = json.loads((folder / "commitment.json").read_bytes())
        commitment |= {"closed_at": closed_at}
        commitment["signatures"] = [entry("key", "operator", commitment_payload(commitment))]
        (folder / "commitment.json").write_bytes(json_file(commitment))
    manifest = build_manifest(folder, settled_at)
    manifest["signatures"] = [entry("key", "operator", manifest_payload(manifest))]
    (folder / "manifest.json").write_bytes(json_file(manifest))
    return folder


@pytest.mark.parametrize(
    ("closed_at", "said"),
    [
        ("2026-12-05T11:59:59.999998Z", f"before {LAST_BET}"),
        ("2026-12-05T12:00:00.000001Z", "after 2026-12-05T12:00:00.000000Z"),
    ],
)
def test_a_pool_closed_after_its_last_bet_and_as_announced_at_the_latest(
    tmp_path: Path, closed_at: str, said: str
) -> None:
    keys = keys_file(tmp_path / "keys.json")
    folder = rewritten(signed_bundle(tmp_path / "pool"), closed_at=LAST_BET)
    assert engine("verify", folder, "--keys", keys).code == 0  # closed by hand, at its last bet
    run = engine("verify", rewritten(folder, closed_at=closed_at), "--keys", keys)
    assert (run.code, run.out) == (1, f"commitment.json, closed_at: {closed_at}, {said}\n")


def test_a_manifest_in_another_layout_is_told(tmp_path: Path) -> None:
    folder, keys = signed_bundle(tmp_path / "pool"), keys_file(tmp_path / "keys.json")
    (folder / "manifest.json").write_bytes(b" " + (folder / "manifest.json").read_bytes())
    run = engine("verify", folder, "--keys", keys)
    told = "manifest.json says what was signed, and is laid out otherwise than it was written\n"
    assert (run.code, run.out) == (0, f"OK\n{told}")


def test_a_pool_is_settled_after_it_closed(tmp_path: Path) -> None:
    folder = rewritten(signed_bundle(tmp_path / "pool"), settled_at="2026-12-05T11:59:59Z")
    run = engine("verify", folder, "--keys", keys_file(tmp_path / "keys.json"))
    said = "manifest.json, settled_at: 2026-12-05T11:59:59.000000Z, before 2026-12-05T12:00:00.000000Z\n"
    assert (run.code, run.out) == (1, said)
