"""Nobody's key signs for another: the commission's keys sign results, the operator's all else (X5)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.bundles import Document, dump, engine
from tests.engine.logged import head_of, lines_of, logged_bundle, receipt_of, write_log, write_receipt
from tests.engine.signed import MEMBERS, entry, keys_document, keys_file, signed_bundle
from totalizator.engine.canonical import json_file
from totalizator.engine.commitment import commitment_payload
from totalizator.engine.log import head_payload
from totalizator.engine.manifest import manifest_payload
from totalizator.engine.receipt import receipt_payload
from totalizator.engine.result import signed_payload


def resigned(document: Document, payload_of: Callable[[Document], bytes], key: str) -> Document:
    unsigned = {name: value for name, value in document.items() if name != "signatures"}
    return {**unsigned, "signatures": [entry("key", key, payload_of(unsigned))]}


def keys_with_roles(path: Path) -> Path:
    keys = keys_document(*MEMBERS, "operator")
    for name, key in keys.items():
        key["role"] = "operator" if name == "operator" else "commission"
    path.write_bytes(dump(keys))
    return path


@pytest.mark.parametrize(
    ("name", "payload_of"), [("commitment.json", commitment_payload), ("manifest.json", manifest_payload)]
)
@pytest.mark.parametrize("write_keys", [keys_file, keys_with_roles])
def test_a_member_signs_no_file_of_the_operators(
    tmp_path: Path,
    name: str,
    payload_of: Callable[[Document], bytes],
    write_keys: Callable[[Path], Path],
) -> None:
    folder, keys = signed_bundle(tmp_path / "pool"), write_keys(tmp_path / "keys.json")
    assert engine("verify", folder, "--keys", keys).code == 0
    (folder / name).write_bytes(json_file(resigned(json.loads((folder / name).read_bytes()), payload_of, "Cyd")))
    if name == "commitment.json":
        (folder / "manifest.json").unlink()  # it has the digest of the first one
    run = engine("verify", folder, "--keys", keys)
    assert (run.code, run.out) == (
        1,
        f"{name}, signatures: the one by {'Cyd'!r} is by a key that is not the operator's\n",
    )


def test_a_member_signs_no_head_and_no_receipt(tmp_path: Path) -> None:
    folder, lines = logged_bundle(tmp_path / "pool")
    keys = keys_with_roles(tmp_path / "keys.json")
    head = resigned(head_of(lines), head_payload, "Cyd")
    run = engine("verify-log", write_log(tmp_path / "log.jsonl", lines, head), "--keys", keys)
    assert run.code == 1
    assert "is by a key that is not the operator's" in run.out
    receipt = resigned(receipt_of(folder, lines_of(folder)), receipt_payload, "Cyd")
    run = engine("verify-receipt", write_receipt(tmp_path / "receipt.json", receipt), "--keys", keys)
    assert run.code == 1
    assert "is by a key that is not the operator's" in run.out


def test_the_operator_signs_no_result(tmp_path: Path) -> None:
    folder = signed_bundle(tmp_path / "pool")
    result = json.loads((folder / "result.json").read_bytes())
    unsigned = {name: value for name, value in result.items() if name != "signatures"}
    result["signatures"].append(entry("member", "operator", signed_payload(unsigned)))
    (folder / "result.json").write_bytes(json_file(result))
    (folder / "manifest.json").unlink()
    run = engine("verify", folder, "--keys", keys_with_roles(tmp_path / "keys.json"))
    assert run.code == 1
    assert "is by a key that is not the commission's" in run.out


def test_an_unknown_role_is_refused_by_name(tmp_path: Path) -> None:
    keys = keys_document("operator")
    keys["operator"]["role"] = "owner"
    (tmp_path / "keys.json").write_bytes(dump(keys))
    run = engine("verify", signed_bundle(tmp_path / "pool"), "--keys", tmp_path / "keys.json")
    assert run.code == 2
    assert "BAD_VALUE: keys.json, operator.role: " in run.err
