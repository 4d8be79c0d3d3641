"""Whole signed bundles: what an operator would publish, made with keys that only tests have."""

import base64
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.engine.bundles import (
    CLOSES,
    Bet,
    Document,
    dump,
    make_bet,
    make_conditions,
    make_level,
    make_result,
    make_terms,
    settled,
    write_bundle,
)
from totalizator.engine.canonical import json_file
from totalizator.engine.commitment import build_commitment, commitment_payload
from totalizator.engine.manifest import build_manifest, manifest_payload
from totalizator.engine.result import signed_payload

MEMBERS = ("Ann", "Ben", "Cyd")
FILES = (
    *("terms.json", "bets.csv", "commitment.json", "result.json", "state.json"),
    *("tally.json", "statement.json", "winnings.csv", "manifest.json"),
)


def key_of(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b"."))


def entry(signer: str, name: str, payload: bytes, key: str | None = None) -> Document:
    """Sign as `name`, with that one's key or another's."""
    signature = key_of(key or name).sign(payload)
    return {signer: name, "algorithm": "ed25519", "signature": base64.b64encode(signature).decode()}


def keys_document(*names: str) -> Document:
    return {
        name: {
            "algorithm": "ed25519",
            "public": base64.b64encode(key_of(name).public_key().public_bytes_raw()).decode(),
        }
        for name in names
    }


def quorum_terms(need: int = 2) -> Document:
    return make_terms(
        game="totolot-position",
        price={"min": 10, "max": 10_000},
        conditions=make_conditions("1X2", "1X2", "12"),
        fund="3/5",
        levels=[make_level("all", "1", "3/5"), make_level("two", "2/3", "2/5")],
        divide_by="stakes",
        empty_level="other_levels",
        void_condition="exclude",
        quorum={"members": list(MEMBERS), "need": need},
    )


def some_bets() -> list[Bet]:
    return [
        make_bet(1, "1;X;2", 100),
        make_bet(2, "1+X;X;1", 60),
        make_bet(3, "2;2;1", 30),
        make_bet(4, "1;1+X+2;1+2", 120),
        make_bet(5, "X;X;2", 45, "2026-12-05T11:59:59.999999Z"),
    ]


def sign_result(result: Document, *entries: Document) -> Document:
    unsigned = {key: value for key, value in result.items() if key != "signatures"}
    signatures = entries or [entry("member", name, signed_payload(unsigned)) for name in MEMBERS[:2]]
    return {**unsigned, "signatures": list(signatures)}


def commit_and_list(directory: Path) -> None:
    """Settle a bundle, and write and sign what commits to it."""
    terms = (directory / "terms.json").read_bytes()
    commitment = build_commitment(terms, directory / "bets.csv", CLOSES)
    commitment["signatures"] = [entry("key", "operator", commitment_payload(commitment))]
    (directory / "commitment.json").write_bytes(json_file(commitment))
    settled(directory)
    manifest = build_manifest(directory, "2026-12-05T16:00:00Z")
    manifest["signatures"] = [entry("key", "operator", manifest_payload(manifest))]
    (directory / "manifest.json").write_bytes(json_file(manifest))


def signed_bundle(directory: Path, *entries: Document, need: int = 2) -> Path:
    """Write a whole bundle; `entries` are the result's signatures, by default those of Ann and Ben."""
    result = sign_result(make_result("1", "X", "2", first_started_at="2026-12-05T11:30:00Z"), *entries)
    state = {"jackpot_in": 77, "carried": {"all": 5}, "cancelled": ["T-0003"]}
    write_bundle(directory, quorum_terms(need), some_bets(), result, state)
    commit_and_list(directory)
    return directory


def keys_file(path: Path, *names: str) -> Path:
    """Write keys.json, outside the bundle; by default with everybody's keys."""
    path.write_bytes(dump(keys_document(*(names or (*MEMBERS, "operator")))))
    return path
