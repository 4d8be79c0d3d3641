"""`verify` finds every change to a settled, signed bundle, and names it."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.engine.bundles import dump, engine, make_bet, make_level, make_result, make_terms, read, write_bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.commitment import build_commitment, commitment_payload
from totalizator.engine.manifest import build_manifest, manifest_payload
from totalizator.engine.merkle import leaf_hash, verify_inclusion
from totalizator.engine.result import signed_payload
from totalizator.engine.verification import verify_bundle

KEYS = {
    name: Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32)) for name in ("ann", "ben", "cat", "operator")
}
PUBLIC = {
    name: {"algorithm": "ed25519", "public": base64.b64encode(key.public_key().public_bytes_raw()).decode()}
    for name, key in KEYS.items()
}


def sign(payload: bytes, name: str, signer: str = "key") -> dict[str, str]:
    signature = base64.b64encode(KEYS[name].sign(payload)).decode()
    return {signer: name, "algorithm": "ed25519", "signature": signature}


def write_manifest(folder: Path) -> None:
    manifest = build_manifest(folder, "2026-12-06T10:00:00Z")
    signatures = [sign(manifest_payload(manifest), "operator")]
    (folder / "manifest.json").write_bytes(json_file({**manifest, "signatures": signatures}))


def write_result(folder: Path, result: dict[str, Any], *members: str) -> None:
    signatures = [sign(signed_payload(result), member, "member") for member in members]
    (folder / "result.json").write_bytes(json_file({**result, "signatures": signatures}))


def make_bundle(folder: Path, **changes: Any) -> Path:
    """Make a whole bundle of five bets (one cancelled, one late), settled and signed by all."""
    levels = [make_level("all", "1", "1/2"), make_level("two", "2/3", "1/2")]
    quorum = {"members": ["ann", "ben", "cat"], "need": 2}
    terms = make_terms(levels=levels, fund="7/10", quorum=quorum, closes_at="2026-12-05T13:00:00Z", **changes)
    bets = [
        make_bet(1, "1;X;2", 100),
        make_bet(2, "1+X;X;1+2", 400),
        make_bet(3, "2;2;2", 100),
        make_bet(4, "1;X;1", 100),
        make_bet(5, "1;X;2", 100, "2026-12-05T12:30:00.000000Z"),
    ]
    write_bundle(folder, terms, bets, make_result("1", "X", "2"), {"jackpot_in": 77, "cancelled": ["T-0003"]})
    commitment = build_commitment((folder / "terms.json").read_bytes(), folder / "bets.csv", "2026-12-05T13:00:00Z")
    signatures = [sign(commitment_payload(commitment), "operator")]
    (folder / "commitment.json").write_bytes(json_file({**commitment, "signatures": signatures}))
    write_result(folder, make_result("1", "X", "2"), "ann", "cat")
    assert engine("settle", folder).code == 0
    write_manifest(folder)
    return folder


def verdict(folder: Path) -> str:
    """Verify with the keys; what is said must go with the exit code."""
    keys = folder.parent / "keys.json"
    keys.write_bytes(dump(PUBLIC))
    run = engine("verify", folder, "--keys", keys)
    assert run.err == ""
    assert run.code == (0 if run.out.startswith("OK") else 1)
    return run.out.strip()


def test_an_untouched_bundle_is_ok(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    assert verdict(folder) == "OK"
    assert engine("verify", folder).out == "OK\nsignatures not checked\n"
    statement = read(folder / "statement.json")
    assert (statement["late"], statement["cancelled"], statement["refunds"]) == (["T-0005"], ["T-0003"], 200)


def test_another_layout_of_what_is_read_is_no_difference(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    (folder / "manifest.json").unlink()
    for name in ("statement.json", "tally.json", "commitment.json", "result.json"):
        (folder / name).write_text(json.dumps(read(folder / name), indent=4))
    assert verdict(folder) == "OK\nnot there: manifest.json"


TAMPERED = {
    "a stake paid to another level": ("statement.json", "paid", "statement.json, levels[0].paid: "),
    "a bet's line": ("bets.csv", "T-0004,1;X;1", "commitment.json, bets: "),
    "a winning": ("winnings.csv", "T-0001,all,1,", "winnings.csv, line 2: "),
    "the number of bets": ("commitment.json", '"count":5', "commitment.json, count: 6 in the bundle, 5 computed"),
    "the turnover": ("commitment.json", '"turnover":800', "commitment.json, turnover: 801 in the bundle, 800 computed"),
    "the jackpot": ("state.json", "77", "tally.json, jackpot_in: 77 in the bundle, 78 computed"),
    "the tally": ("tally.json", '"lines":8', "tally.json, lines: 9 in the bundle, 8 computed"),
    "the terms": ("terms.json", "Test pool", "commitment.json, terms: "),
    "a member's result": ("result.json", '"number":"1"', "manifest.json, files.result.json: "),
    "the time of settling": (
        "manifest.json",
        "T10:00:00",
        "manifest.json, signatures: the one by 'operator' is not its signature of this file",
    ),
    "the time of closing": ("commitment.json", "T13:00:00", "commitment.json, closed_at: 2026-12-05T13:00:01"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_change_is_named(tmp_path: Path, case: str) -> None:
    name, piece, difference = TAMPERED[case]
    folder = make_bundle(tmp_path / "pool")
    path = folder / name
    changed = raised(path.read_text(), piece)
    path.write_text(changed)
    assert verdict(folder).startswith(difference)


def raised(text: str, piece: str) -> str:
    """Change a text a little, at a piece of it."""
    other = {
        "paid": '"paid":1,"paid_not":',
        "T-0004,1;X;1": "T-0004,1;X;2",
        "T-0001,all,1,": "T-0001,all,1,9",
        '"count":5': '"count":6',
        '"turnover":800': '"turnover":801',
        "77": "78",
        '"lines":8': '"lines":9',
        "Test pool": "Other pool",
        '"number":"1"': '"number":"2"',
        "T10:00:00": "T10:00:01",
        "T13:00:00": "T13:00:01",
    }[piece]
    assert piece in text
    if piece == "paid":
        head, _, tail = text.partition('"paid":')
        return f'{head}"paid":9{tail}'
    return text.replace(piece, other)


def test_every_byte_of_every_file_matters(tmp_path: Path) -> None:
    """Put another byte in place of every 13th: nothing but the layout of JSON may change unseen, and never silently."""
    folder = make_bundle(tmp_path / "pool")
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for place in range(0, len(whole), 13):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            found = verify_bundle(folder, PUBLIC)
            assert not found.ok, (path.name, place)
        path.write_bytes(whole)
    assert verify_bundle(folder, PUBLIC).ok


@pytest.mark.parametrize("name", ["terms.json", "bets.csv", "result.json", "tally.json", "winnings.csv"])
def test_a_file_taken_away_is_missed(tmp_path: Path, name: str) -> None:
    folder = make_bundle(tmp_path / "pool")
    (folder / name).unlink()
    assert name in verdict(folder)


@pytest.mark.parametrize("name", ["terms.json", "bets.csv", "result.json", "winnings.csv", "manifest.json"])
def test_a_folder_in_place_of_a_file_is_missed(tmp_path: Path, name: str) -> None:
    folder = make_bundle(tmp_path / "pool")
    (folder / name).unlink()
    (folder / name).mkdir()
    assert verdict(folder).startswith(f"MISSING_FILE: {name}: ")


def test_a_result_needs_its_quorum(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    result = make_result("1", "X", "2")
    for members, difference in (
        (["ann"], "result.json, signatures: 1 of the 2 that are needed"),
        (["ann", "ann"], "result.json, signatures: 1 of the 2 that are needed"),
        (["ann", "operator"], "result.json, signatures: 'operator' may not sign results of this pool"),
        ([], "result.json, signatures: 0 of the 2 that are needed"),
        (["ben", "ann", "cat"], "OK"),
    ):
        write_result(folder, result, *members)
        write_manifest(folder)
        assert verdict(folder) == difference


def test_a_signature_by_an_unknown_key(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    found = verify_bundle(folder, {name: key for name, key in PUBLIC.items() if name != "cat"})
    assert found.difference == "result.json, signatures: the one by 'cat' is by a key that is not among the keys"


def test_an_unsigned_commitment_is_not_enough(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    commitment = read(folder / "commitment.json")
    (folder / "commitment.json").write_bytes(json_file({**commitment, "signatures": []}))
    write_manifest(folder)
    assert verdict(folder) == "commitment.json, signatures: not signed"


def test_bad_keys_are_bad_input(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    keys = tmp_path / "keys.json"
    for content, message in (
        (b"[]", "BAD_VALUE: keys.json: "),
        (b'{"ann": {"algorithm": "rsa", "public": "AA=="}}', "BAD_VALUE: keys.json, ann.algorithm: "),
        (b'{"ann": {"algorithm": "ed25519", "public": "AA=="}}', "BAD_VALUE: keys.json, ann.public: 32 bytes"),
        (b'{"ann": {"algorithm": "ed25519", "public": "\xd1\x91"}}', "BAD_VALUE: keys.json, ann.public: base64"),
    ):
        keys.write_bytes(content)
        run = engine("verify", folder, "--keys", keys)
        assert (run.code, run.out) == (2, "")
        assert run.err.startswith(message)
    assert engine("verify", folder, "--keys", tmp_path / "none.json").err.startswith("MISSING_FILE: keys.json: ")


def test_a_closed_pool_is_verified_before_its_result(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    for name in ("result.json", "state.json", "tally.json", "statement.json", "winnings.csv", "manifest.json"):
        (folder / name).unlink()
    absent = "result.json, tally.json, statement.json, winnings.csv, manifest.json"
    assert verdict(folder) == f"OK\nnot there: {absent}"


def test_a_published_draw_is_verified_from_its_tally(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    for name in ("bets.csv", "commitment.json", "result.json", "state.json", "winnings.csv", "manifest.json"):
        (folder / name).unlink()
    assert verdict(folder).startswith("OK\nnot there: bets.csv, ")
    statement = read(folder / "statement.json")
    (folder / "statement.json").write_bytes(json_file({**statement, "takeout": statement["takeout"] + 1}))
    assert verdict(folder).startswith("statement.json, takeout: ")


def test_every_ticket_is_proved_under_the_committed_root(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    root = read(folder / "commitment.json")["merkle_root"]
    for index, line in enumerate((folder / "bets.csv").read_text().splitlines()[1:]):
        proof = json.loads(engine("prove", folder, line.partition(",")[0]).out)
        path = [bytes.fromhex(node) for node in proof.pop("path")]
        assert proof == {"pool": "T-1", "line": line, "index": index, "count": 5, "root": root}
        assert verify_inclusion(leaf_hash(line.encode()), index, 5, path, bytes.fromhex(root))


@pytest.mark.parametrize("ticket", ["T-0009", "T-000", "", "1;X;2", "ё", "T-0001,1;X;2"])
def test_an_unknown_ticket_has_no_proof(tmp_path: Path, ticket: str) -> None:
    run = engine("prove", make_bundle(tmp_path / "pool"), ticket)
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("UNKNOWN_TICKET: bets.csv, ticket: ")


def test_a_refused_settlement_writes_nothing(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    bets = before["bets.csv"].replace(b"T-0005,1;X;2,100", b"T-0005,1;X;2,101")
    (folder / "bets.csv").write_bytes(bets)
    run = engine("settle", folder)
    assert (run.code, run.err) == (2, "BAD_STAKE: bets.csv, line 6, stake: 100, the price of 1 lines, not 101 (¶5)\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {**before, "bets.csv": bets}


def test_settling_a_copy_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert engine("settle", copy).code == 0
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }


def test_a_ticket_that_begins_with_a_hyphen_is_proved(tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "pool")
    bets = (folder / "bets.csv").read_bytes().replace(b"T-0001", b"-T0001")
    (folder / "bets.csv").write_bytes(bets)
    assert json.loads(engine("prove", folder, "-T0001").out)["index"] == 0
    assert engine("prove", folder, "-T0002").code == 1
