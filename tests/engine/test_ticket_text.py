"""`verify-ticket`: the text of a ticket's QR code, signed by the operator, off line and against the bundle (X2)."""

import base64
import csv
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.engine.bundles import Run, dump, engine
from tests.engine.logged import logged_bundle
from tests.engine.signed import key_of, keys_document, keys_file
from totalizator.engine.canonical import digest
from totalizator.engine.errors import EngineError
from totalizator.engine.signatures import PublicKey
from totalizator.engine.ticket import PrintedBet, read_ticket, signer_of, ticket_text

PAGE = "https://example.org/t/T-1-0002/"
BET = PrintedBet("T-1-0002", "1+X;2", 200, "2026-12-01T06:00:00.000001Z", "sha256:" + "0f" * 32)


def text_of(bet: PrintedBet, signer: str = "operator", code: str = "ABCDE12345WXYZ") -> str:
    page = f"https://example.org/t/{bet.ticket}/"
    return ticket_text(page, code, bet, key_of(signer).sign(bet.payload()))


def verify(text: str, tmp_path: Path, *options: str | Path) -> Run:
    return engine("verify-ticket", text, "--keys", keys_file(tmp_path / "keys.json"), *options)


def booked(tmp_path: Path) -> tuple[Path, PrintedBet]:
    """A bundle, and the second of its bets as a ticket would print it."""
    folder, _lines = logged_bundle(tmp_path / "pool")
    rows = list(csv.DictReader((folder / "bets.csv").read_text().splitlines()))
    row = rows[1]
    terms = digest((folder / "terms.json").read_bytes())
    return folder, PrintedBet(row["ticket"], row["selections"], int(row["stake"]), row["registered_at"], terms)


def test_x2_the_signature_proves_the_sale(tmp_path: Path) -> None:
    run = verify(text_of(BET), tmp_path)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines() == [
        "OK",
        "ticket T-1-0002: 1+X;2 for 200, accepted at 2026-12-01T06:00:00.000001Z",
        "signed by operator",
    ]
    assert engine("verify-ticket", text_of(BET)).out.endswith("\nsignatures not checked\n")


def test_a_copy_without_the_check_code_has_the_same_signature(tmp_path: Path) -> None:
    ticket, copy = text_of(BET), text_of(BET, code="")
    assert ticket.rpartition("&")[2] == copy.rpartition("&")[2]
    assert verify(copy, tmp_path).code == 0


@pytest.mark.parametrize(
    "change",
    [
        {"ticket": "T-1-0003"},
        {"selections": "1+X;1"},
        {"stake": 201},
        {"registered_at": "2026-12-01T06:00:00.000002Z"},
        {"terms": "sha256:" + "0e" * 32},
    ],
)
def test_nothing_of_a_ticket_can_be_changed(change: dict[str, str | int], tmp_path: Path) -> None:
    other = replace(BET, **change)  # type: ignore[arg-type]
    text = ticket_text(f"https://example.org/t/{other.ticket}/", "", other, key_of("operator").sign(BET.payload()))
    run = verify(text, tmp_path)
    assert (run.code, run.out) == (1, "ticket, signature: by none of the operator's keys, or under another bet\n")


def test_a_member_of_the_commission_signs_no_tickets(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    for role, code in (("commission", 1), ("operator", 0)):
        keys.write_bytes(dump({"Ann": {**keys_document("Ann")["Ann"], "role": role}}))
        assert engine("verify-ticket", text_of(BET, "Ann"), "--keys", keys).code == code


def test_x2_a_ticket_that_was_sold_and_not_booked_is_named(tmp_path: Path) -> None:
    folder, bet = booked(tmp_path)
    run = verify(text_of(bet), tmp_path, "--bundle", folder)
    assert (run.code, run.out.splitlines()[-1]) == (0, "booked as printed in bets.csv")
    lost = replace(bet, ticket=f"{bet.ticket}9")
    run = verify(text_of(lost), tmp_path, "--bundle", folder)
    assert (run.code, run.out) == (1, f"bets.csv: has no bet {lost.ticket}: sold and not booked\n")
    dearer = replace(bet, stake=bet.stake + 10)
    run = verify(text_of(dearer), tmp_path, "--bundle", folder)
    said = f"bets.csv, {bet.ticket}, stake: {bet.stake} booked, {bet.stake + 10} sold\n"
    assert (run.code, run.out) == (1, said)
    run = verify(text_of(replace(bet, terms=BET.terms)), tmp_path, "--bundle", folder)
    assert (run.code, run.out.partition(",")[0]) == (1, "ticket")
    (folder / "bets.csv").unlink()
    run = verify(text_of(bet), tmp_path, "--bundle", folder)
    assert (run.code, run.out.splitlines()[-1][:26]) == (0, "bets.csv is not there: it ")


def test_every_flipped_letter_of_the_signature_and_the_terms_is_found(tmp_path: Path) -> None:
    keys = json.loads(keys_file(tmp_path / "keys.json").read_text())
    text, public = text_of(BET), PublicKey(base64.b64decode(keys["operator"]["public"]))
    start = text.index("&", text.index("06:00:00")) + 1
    for place in range(start, len(text), 7):
        letter = "A" if text[place] != "A" else "B"
        try:
            bet, signature = read_ticket(text[:place] + letter + text[place + 1 :])
        except EngineError:
            continue
        assert signer_of(bet, signature, {"operator": public}) is None, place


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ticket"),
        ("https://example.org/t/T-1-0002/", "ticket"),
        (text_of(BET).replace("#T3", "#T2"), "ticket"),
        (text_of(BET).replace("&200&", "&-200&"), "ticket, stake"),
        (text_of(BET).replace("06:00:00", "26:00:00"), "ticket, time"),
        (text_of(BET)[:-1], "ticket, signature"),
        (text_of(BET) + quote("é"), "ticket, signature"),
        (PAGE + "#T3&&1&1&2026-12-01T06:00:00.000001Z&AA&AA", "ticket, terms"),
    ],
)
def test_what_is_no_ticket_is_said_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    run = verify(text, tmp_path)
    assert (run.code, run.err, run.out.count("\n")) == (1, "", 1)
    assert run.out.startswith(f"BAD_VALUE: {said}: ")


def test_wrong_keys_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("[]")
    assert engine("verify-ticket", text_of(BET), "--keys", tmp_path / "keys.json").code == 2
