"""What is written and signed, byte for byte, computed here from the format's description alone."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.engine.bundles import Document, dump, engine, make_result, read, settled, write_bundle
from tests.engine.signed import key_of, quorum_terms, signed_bundle, some_bets
from tests.engine.test_merkle import root_by_definition
from totalizator.engine.canonical import canonical_json, parse_json
from totalizator.engine.commitment import commitment_payload
from totalizator.engine.manifest import manifest_payload
from totalizator.engine.result import signed_payload
from totalizator.engine.version import ENGINE_VERSION

CYRILLIC: Document = {"я": "Щукин Ёж № 5", "b": [1, {"z": None, "a": True}], "a": 'line\n\t"\\ /', "": -7}


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def named(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()


def test_canonical_json() -> None:
    text = '{"":-7,"a":"line\\n\\t\\"\\\\ /","b":[1,{"a":true,"z":null}],"я":"Щукин Ёж № 5"}'
    assert canonical_json(CYRILLIC) == text.encode() == canonical(CYRILLIC)
    assert parse_json(text.encode(), where="here") == CYRILLIC
    assert canonical_json(parse_json(dump(CYRILLIC), where="here")) == text.encode()


@pytest.mark.parametrize(
    ("payload", "purpose"),
    [
        (signed_payload, b"totalizator-protocol-v1\n"),
        (commitment_payload, b"totalizator-commitment-v1\n"),
        (manifest_payload, b"totalizator-manifest-v1\n"),
    ],
    ids=["protocol", "commitment", "manifest"],
)
def test_what_is_signed(payload: Any, purpose: bytes) -> None:
    document = {**CYRILLIC, "signatures": [{"anything": 1}]}
    assert payload(document) == payload(CYRILLIC) == purpose + canonical(CYRILLIC)


def test_the_commitment_says_what_was_closed(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path)
    commitment = read(directory / "commitment.json")
    bets = (directory / "bets.csv").read_bytes()
    lines = bets.split(b"\n")[1:-1]
    signatures = commitment.pop("signatures")
    assert commitment == {
        "format": 1,
        "pool": "T-1",
        "terms": named((directory / "terms.json").read_bytes()),
        "bets": named(bets),
        "count": len(lines),
        "lines": sum(int(line.split(b",")[3]) for line in lines),
        "turnover": sum(int(line.split(b",")[2]) for line in lines),
        "merkle_root": root_by_definition(lines).hex(),
        "closed_at": "2026-12-05T12:00:00.000000Z",
    }
    assert [(signed["key"], signed["algorithm"]) for signed in signatures] == [("operator", "ed25519")]


def test_the_manifest_lists_every_other_file(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path)
    manifest = read(directory / "manifest.json")
    others = {file.name: named(file.read_bytes()) for file in directory.iterdir() if file.name != "manifest.json"}
    assert manifest["files"] == others
    assert len(others) == 8
    assert (manifest["format"], manifest["pool"], manifest["engine"]) == (1, "T-1", ENGINE_VERSION)
    public: Ed25519PublicKey = key_of("operator").public_key()
    unsigned = {key: value for key, value in manifest.items() if key != "signatures"}
    signature = key_of("operator").sign(b"totalizator-manifest-v1\n" + canonical(unsigned))
    public.verify(signature, manifest_payload(manifest))


@pytest.mark.parametrize("file", ["commitment.json", "tally.json", "statement.json", "manifest.json"])
def test_what_is_written_is_canonical_with_one_newline(tmp_path: Path, file: str) -> None:
    content = signed_bundle(tmp_path).joinpath(file).read_bytes()
    assert content == canonical(json.loads(content)) + b"\n"


def test_the_statement_has_the_keys_of_the_description(tmp_path: Path) -> None:
    statement = settled(write_bundle(tmp_path, quorum_terms(), some_bets(), make_result("1", "X", "2")))
    assert set(statement) == {
        *("turnover", "refunds", "takeout", "fund", "added", "jackpot_in", "jackpot_out", "winnings"),
        *("levels", "carried", "late", "cancelled", "void", "bets_digest"),
    }
    for level in statement["levels"]:
        assert set(level) == {
            *("code", "fund", "lines", "stakes", "dividend", "coefficient", "coefficient_shown"),
            *("paid", "remainder", "moved"),
        }
    assert statement["bets_digest"] == named((tmp_path / "bets.csv").read_bytes())


def test_a_tally_without_bets_leaves_open_what_depends_on_them(tmp_path: Path) -> None:
    """By stakes, `dividends` gives fund and coefficient, and null for what only the single bets can tell."""
    terms = quorum_terms()
    levels = {"all": {"lines": 3, "stakes": 300}, "two": {"lines": 5, "stakes": 700}}
    (tmp_path / "terms.json").write_bytes(dump(terms))
    (tmp_path / "tally.json").write_bytes(dump({"turnover": 10_000, "lines": 100, "levels": levels}))
    run = engine("dividends", tmp_path)
    assert run.code == 0
    statement = json.loads(run.out)
    assert run.out.encode() == canonical(statement) + b"\n"
    assert (statement["fund"], statement["takeout"]) == (6000, 4000)
    assert [level["coefficient"] for level in statement["levels"]] == ["12", "24/7"]
    assert [(level["paid"], level["remainder"]) for level in statement["levels"]] == [(None, None)] * 2
    assert (statement["winnings"], statement["jackpot_out"]) == (None, None)
