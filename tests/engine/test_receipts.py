"""`verify-receipt`: a bet, its place among the committed ones, the commitment's in the log, all off line (X2)."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.engine.bundles import Document, Run, engine
from tests.engine.logged import head_of, line, logged_bundle, receipt_of, sign_receipt, write_receipt
from tests.engine.signed import entry, keys_file
from tests.engine.test_verify import flips
from totalizator.engine.commitment import commitment_payload


def receipt(tmp_path: Path, ticket: str = "T-0002") -> Document:
    bundle, lines = logged_bundle(tmp_path / "pool")
    return receipt_of(bundle, lines, ticket)


def verify(tmp_path: Path, document: Document) -> Run:
    written = write_receipt(tmp_path / "receipt.json", document)
    return engine("verify-receipt", written, "--keys", keys_file(tmp_path / "keys.json"))


def changed(document: Document, path: tuple[str | int, ...], value: Any) -> Document:
    """The document with one thing changed, and the receipt signed again over it."""
    again = deepcopy(document)
    place: Any = again
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return sign_receipt(again)


@pytest.mark.parametrize("number", range(1, 6))
def test_x2_a_receipt_of_any_bet_is_right(tmp_path: Path, number: int) -> None:
    run = verify(tmp_path, receipt(tmp_path, f"T-000{number}"))
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines() == [
        "OK",
        f"ticket T-000{number} is bet {number} of the 5 of pool T-1",
        "the bets were fixed in the public log at 2026-12-05T11:02:00.000000Z, line 2 of 7",
    ]


def test_a_receipt_from_before_closing_proves_that_the_bet_was_taken(tmp_path: Path) -> None:
    whole = receipt(tmp_path)
    early = sign_receipt({name: whole[name] for name in ("format", "pool", "bet")})
    run = verify(tmp_path, early)
    assert (run.code, run.out) == (0, "OK\nticket T-0002 of pool T-1: not yet in a commitment\n")


def test_without_keys_or_without_the_log_the_verdict_says_so(tmp_path: Path) -> None:
    document = receipt(tmp_path)
    written = write_receipt(tmp_path / "receipt.json", document)
    assert engine("verify-receipt", written).out.endswith("\nsignatures not checked\n")
    run = verify(tmp_path, sign_receipt({name: value for name, value in document.items() if name != "log"}))
    assert (run.code, run.out.splitlines()[2]) == (0, "the commitment's line in the public log is not there")


def test_one_character_changed_anywhere_is_found_and_named(tmp_path: Path) -> None:
    document, keys = receipt(tmp_path), keys_file(tmp_path / "keys.json")
    written = write_receipt(tmp_path / "receipt.json", document)
    whole = written.read_bytes()
    for flipped in flips(whole, 700):
        written.write_bytes(flipped)
        run = engine("verify-receipt", written, "--keys", keys)
        assert (run.code, run.err, run.out.count("\n")) == (1, "", 1), (flipped, run)
        assert "receipt.json" in run.out


OTHER = "0" * 64


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("bet",), "T-0002,1;1;1", "BAD_CSV: receipt.json, bet: 6 fields, not 2"),
        (("index",), 2, "receipt.json, path: does not lead from bet 2 of 5 to the root"),
        (("index",), 5, "receipt.json, path: does not lead from bet 5 of 5 to the root"),
        (("path", 0), OTHER, "receipt.json, path: does not lead from bet 1 of 5 to the root"),
        (("path",), [], "receipt.json, path: does not lead from bet 1 of 5 to the root"),
        (("path", 0), "0", "BAD_VALUE: receipt.json, path[0]: 64 characters 0-9a-f, not '0'"),
        (("root",), OTHER, "receipt.json, path: does not lead from bet 1 of 5 to the root"),
        (("pool",), "T-2", "receipt.json, commitment, pool: 'T-1', expected 'T-2'"),
        (("commitment", "turnover"), 1, "receipt.json, commitment, signatures: the one by 'operator' is not its"),
        (("commitment", "signatures"), [], "receipt.json, commitment, signatures: not signed"),
        (("log", "entry", "kind"), "protocol", "receipt.json, log.entry, kind: 'protocol', expected 'commitment'"),
        (("log", "entry", "subject"), "other", "receipt.json, log.entry, subject: 'other', expected 'T-1'"),
        (("log", "entry", "digest"), "sha256:0", "receipt.json, log.entry, digest: 'sha256:0', expected 'sha256:"),
        (
            ("log", "entry", "at"),
            "2026-12-05T10:00:00Z",
            "receipt.json, log.path: does not lead from line 2 to the head of 7",
        ),
        (("log", "path", 0), OTHER, "receipt.json, log.path: does not lead from line 2 to the head of 7"),
        (("log", "head", "size"), 8, "receipt.json, log.head, signatures: the one by 'operator' is not its"),
        (("more",), 1, "UNKNOWN_KEY: receipt.json, more: no such key"),
    ],
)
def test_a_change_is_named_even_when_the_operator_signs_the_receipt_again(
    tmp_path: Path, path: tuple[str | int, ...], value: Any, said: str
) -> None:
    run = verify(tmp_path, changed(receipt(tmp_path), path, value))
    assert (run.code, run.err) == (1, "")
    assert run.out.startswith(said), run.out


def test_x2_a_bet_sold_and_not_booked_is_provable(tmp_path: Path) -> None:
    """A signed receipt of the sale, and a commitment that no path leads to: the operator's own signatures tell."""
    document = receipt(tmp_path)
    dropped = str(document["bet"]).replace("T-0002", "T-0009")
    run = verify(tmp_path, sign_receipt({name: document[name] for name in ("format", "pool")} | {"bet": dropped}))
    assert run.code == 0
    run = verify(tmp_path, changed(document, ("bet",), dropped))
    assert run.out == "receipt.json, path: does not lead from bet 1 of 5 to the root\n"


def test_a_bet_registered_after_the_pool_had_closed_is_named(tmp_path: Path) -> None:
    document = receipt(tmp_path)
    commitment = {**document["commitment"], "closed_at": "2026-12-03T09:59:59Z"}
    unsigned = {name: value for name, value in commitment.items() if name != "signatures"}
    commitment["signatures"] = [entry("key", "operator", commitment_payload(unsigned))]
    run = verify(tmp_path, changed(document, ("commitment",), commitment))
    said = "receipt.json, bet: registered after the pool had closed, at 2026-12-03T09:59:59.000000Z\n"
    assert run.out == said


def test_a_head_over_another_log_does_not_hold_the_commitment(tmp_path: Path) -> None:
    document = receipt(tmp_path)
    head = head_of([line(number, "journal", "journal", b"", number) for number in range(7)])
    run = verify(tmp_path, changed(document, ("log", "head"), head))
    assert run.out == "receipt.json, log.path: does not lead from line 2 to the head of 7\n"


def test_a_receipt_or_keys_that_cannot_be_read_are_bad_input(tmp_path: Path) -> None:
    keys = keys_file(tmp_path / "keys.json")
    run = engine("verify-receipt", tmp_path / "nowhere.json", "--keys", keys)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("MISSING_FILE: nowhere.json: ")
    written = write_receipt(tmp_path / "receipt.json", receipt(tmp_path))
    keys.write_bytes(b"{")
    run = engine("verify-receipt", written, "--keys", keys)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("BAD_JSON: keys.json")
