"""`verify --keys`: who signed, whether they may, and whether they are enough (X5)."""

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.engine.bundles import Document, dump, engine, make_result, read
from tests.engine.signed import MEMBERS, commit_and_list, entry, key_of, keys_document, keys_file, signed_bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.commitment import commitment_payload
from totalizator.engine.manifest import manifest_payload
from totalizator.engine.result import signed_payload

RESULT = make_result("1", "X", "2", first_started_at="2026-12-05T11:30:00Z")
PAYLOAD = signed_payload(RESULT)


def by(name: str, **changes: Any) -> Document:
    return {**entry("member", name, PAYLOAD), **changes}


def verdict(directory: Path, keys: Path) -> tuple[int, str]:
    run = engine("verify", directory, "--keys", keys)
    assert run.err == ""
    return run.code, run.out


ENOUGH = {
    "two of three": [by("Ann"), by("Ben")],
    "another two": [by("Cyd"), by("Ann")],
    "all three": [by("Ann"), by("Ben"), by("Cyd")],
}


@pytest.mark.parametrize("case", ENOUGH)
def test_any_two_members_are_enough_for_a_quorum_of_two(tmp_path: Path, case: str) -> None:
    directory = signed_bundle(tmp_path / "pool", *ENOUGH[case])
    assert verdict(directory, keys_file(tmp_path / "keys.json")) == (0, "OK\n")


NOT_ENOUGH = {
    "one short": [by("Ann")],
    "one member twice": [by("Ann"), by("Ann")],
    "a stranger": [by("Ann"), by("operator")],
    "a stranger besides two members": [by("Ann"), by("Ben"), by("operator")],
    "one with another's key": [by("Ann"), entry("member", "Ben", PAYLOAD, key="Cyd")],
    "swapped": [
        by("Ann", signature=by("Ben")["signature"]),
        by("Ben", signature=by("Ann")["signature"]),
    ],
    "signed without saying for what": [by("Ann"), entry("member", "Ben", PAYLOAD.partition(b"\n")[2])],
    "signed as a manifest": [by("Ann"), entry("member", "Ben", manifest_payload(RESULT))],
    "signed another result": [by("Ann"), entry("member", "Ben", signed_payload(make_result("1", "X", "1")))],
    "a short signature": [by("Ann"), by("Ben", signature=base64.b64encode(bytes(63)).decode())],
    "an empty signature": [by("Ann"), by("Ben", signature="")],
    "a wrong signature besides two right ones": [by("Ann"), by("Ben"), by("Cyd", signature=by("Ann")["signature"])],
}


@pytest.mark.parametrize("case", NOT_ENOUGH)
def test_a_protocol_without_its_quorum_is_found(tmp_path: Path, case: str) -> None:
    directory = signed_bundle(tmp_path / "pool", *NOT_ENOUGH[case])
    code, out = verdict(directory, keys_file(tmp_path / "keys.json"))
    assert code == 1
    assert out.startswith("result.json, signatures")


def test_a_member_whose_key_is_not_published_does_not_count(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    assert verdict(directory, keys_file(tmp_path / "keys.json", "Ann", "Cyd", "operator"))[0] == 1


def test_a_key_that_was_exchanged_is_found(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool")
    keys = keys_document(*MEMBERS, "operator")
    keys["Ben"]["public"] = base64.b64encode(key_of("Eve").public_key().public_bytes_raw()).decode()
    (tmp_path / "keys.json").write_bytes(dump(keys))
    assert verdict(directory, tmp_path / "keys.json")[0] == 1


def test_a_second_spelling_of_a_signature_is_refused(tmp_path: Path) -> None:
    """The last letter of base64 before == has four idle bits: set, they decode to the same bytes."""
    right = by("Ben")["signature"]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = right[:-3] + letters[letters.index(right[-3]) + 1] + "=="
    assert base64.b64decode(other) == base64.b64decode(right)
    directory = signed_bundle(tmp_path / "pool")
    (directory / "result.json").write_bytes(dump({**RESULT, "signatures": [by("Ann"), by("Ben", signature=other)]}))
    run = engine("settle", directory)
    assert run.code == 2
    assert run.err.startswith("BAD_VALUE: result.json, signatures[1].signature")


PAYLOADS = {"commitment.json": commitment_payload, "manifest.json": manifest_payload}
OTHER = {"commitment.json": "manifest.json", "manifest.json": "commitment.json"}


def wrongly_signed(file: str, document: Document) -> dict[str, list[Document]]:
    """Every way in which the operator's signatures of a file can be wrong."""
    payload, other_payload = PAYLOADS[file](document), PAYLOADS[OTHER[file]](document)
    return {
        "none": [],
        "with another's key": [entry("key", "operator", payload, key="Eve")],
        "by a stranger": [entry("key", "Eve", payload)],
        "as the other file": [entry("key", "operator", other_payload)],
    }


@pytest.mark.parametrize("file", PAYLOADS)
@pytest.mark.parametrize("case", wrongly_signed("manifest.json", {}))
def test_the_operators_signatures_are_needed(tmp_path: Path, file: str, case: str) -> None:
    directory = signed_bundle(tmp_path / "pool")
    if file == "commitment.json":
        (directory / "manifest.json").unlink()  # so that nothing but the signature can tell
    document = read(directory / file)
    document["signatures"] = wrongly_signed(file, document)[case]
    (directory / file).write_bytes(json_file(document))
    code, out = verdict(directory, keys_file(tmp_path / "keys.json"))
    assert code == 1
    assert out.startswith(f"{file}, signatures")


def test_signatures_cover_the_meaning_and_not_the_layout(tmp_path: Path) -> None:
    directory = signed_bundle(tmp_path / "pool", *ENOUGH["two of three"])
    document = read(directory / "result.json")
    (directory / "result.json").write_bytes(dump(dict(reversed(document.items()))))
    commit_and_list(directory)
    assert verdict(directory, keys_file(tmp_path / "keys.json")) == (0, "OK\n")


BAD_KEYS: dict[str, bytes] = {
    "nothing": b"",
    "a list": b"[]",
    "a word for a key": b'{"Ann": "key"}',
    "no public part": b'{"Ann": {"algorithm": "ed25519"}}',
    "another algorithm": b'{"Ann": {"algorithm": "rsa", "public": "AAAA"}}',
    "a short key": b'{"Ann": {"algorithm": "ed25519", "public": "AAAA"}}',
    "no base64": b'{"Ann": {"algorithm": "ed25519", "public": "?"}}',
    "a secret beside it": b'{"Ann": {"algorithm": "ed25519", "public": "%s", "private": "x"}}'
    % base64.b64encode(bytes(32)),
}


@pytest.mark.parametrize("case", BAD_KEYS)
def test_keys_that_are_none(tmp_path: Path, case: str) -> None:
    (tmp_path / "keys.json").write_bytes(BAD_KEYS[case])
    run = engine("verify", signed_bundle(tmp_path / "pool"), "--keys", tmp_path / "keys.json")
    assert run.code in (1, 2)
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert "keys.json" in run.err


def test_keys_that_are_not_there(tmp_path: Path) -> None:
    run = engine("verify", signed_bundle(tmp_path / "pool"), "--keys", tmp_path / "none.json")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("MISSING_FILE: ")
