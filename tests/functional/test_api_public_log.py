"""The public log and receipts over the API: what is downloaded is what the engine verifies (X2, X6)."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pools.models import Bet, LogEntry, LogHead, Pool
from pools.services.commission_keys import published_keys
from pools.services.public_log import append_to_log
from pools.services.settling import settle_pool
from tests.engine.bundles import Run, engine
from tests.functional.calling import Caller, told
from tests.functional.test_api_reading import valid
from tests.making import bet_from_account, bet_in_cash, make_player, make_pool, make_till
from tests.resulting import close_by_clock, seal
from totalizator.core import clock
from totalizator.engine.canonical import json_file

pytestmark = pytest.mark.django_db


def grow(lines: int) -> None:
    for number in range(lines):
        append_to_log(kind="journal", subject=f"journal:{number}", document=b"%d" % number, at=clock.now())


def check(tmp_path: Path, command: str, content: bytes, *options: str | Path) -> Run:
    (tmp_path / "keys.json").write_bytes(json_file(published_keys()))
    (tmp_path / "asked.json").write_bytes(content)
    return engine(command, tmp_path / "asked.json", "--keys", tmp_path / "keys.json", *options)


def receipt_for(placed: Any, caller: Caller | None = None) -> Any:
    return (caller or Caller()).post(
        "tickets/receipt", {"ticket": placed.bet.ticket, "check_code": placed.check_code}, key=None
    )


def play(pool: Pool) -> None:
    close_by_clock(pool)
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;1;1", started_at=pool.closes_at + timedelta(hours=1))
    settle_pool(code=pool.code, actor="test")


def test_x6_the_file_the_heads_and_every_proof_verify(tmp_path: Path) -> None:
    grow(9)
    caller = Caller()
    file = caller.get("log/file")
    assert check(tmp_path, "verify-log", b"".join(file.streaming_content)).out.splitlines()[0] == "OK"
    newest = valid("log/head", caller.get("log/head"))
    assert newest == json.loads(LogHead.objects.get(size=9).document_text)
    assert valid("log/head", caller.get("log/head?size=4"))["size"] == 4
    for first in range(1, 10):
        proof = valid("log/proof", caller.get(f"log/proof?first={first}&second=9"))
        run = check(tmp_path, "verify-growth", json_file(proof))
        assert (run.code, run.out) == (0, f"OK\n{first} lines grew to 9\n")
    proof = valid("log/inclusion", caller.get("log/inclusion?index=3"))
    assert (proof["entry"]["index"], proof["head"]) == (3, newest)
    assert len(proof["path"]) == 4
    assert valid("log/inclusion", caller.get("log/inclusion?index=3&size=4"))["head"]["size"] == 4


def test_lines_and_heads_come_in_pages_and_are_filtered() -> None:
    grow(5)
    caller = Caller()
    page = valid("log/entries", caller.get("log/entries?page_size=3"))
    assert [entry["index"] for entry in page["entries"]] == [0, 1, 2]
    rest = caller.get(page["next"].partition("/api/v1/")[2]).json()
    assert ([entry["index"] for entry in rest["entries"]], rest["next"]) == ([3, 4], None)
    assert page["entries"][0] == json.loads(LogEntry.objects.get(index=0).line)
    heads = valid("log/heads", caller.get("log/heads?page_size=2"))["heads"]
    assert [head["size"] for head in heads] == [5, 4]
    assert len(caller.get("log/entries?subject=journal:2").json()["entries"]) == 1
    assert caller.get("log/entries?kind=commitment").json()["entries"] == []


def test_a_public_read_of_the_log_has_an_etag_that_changes_with_it() -> None:
    grow(1)
    caller = Caller()
    paths = ("log/entries", "log/head", "log/heads", "log/file", "log/inclusion?index=0")
    etags = {path: caller.get(path)["ETag"] for path in paths}
    assert {caller.get(path, **{"If-None-Match": etags[path]}).status_code for path in paths} == {304}
    grow(1)
    assert {caller.get(path, **{"If-None-Match": etags[path]}).status_code for path in paths} == {200}


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("log/head?size=3", 404, "not_found"),
        ("log/proof?first=3&second=2", 404, "not_found"),
        ("log/proof?first=2&second=1", 404, "not_found"),
        ("log/inclusion?index=2", 404, "not_found"),
        ("log/inclusion?index=1&size=1", 404, "not_found"),
        ("log/proof", 400, "bad_value"),
        ("log/proof?first=0", 400, "bad_value"),
        ("log/inclusion?index=-1", 400, "bad_value"),
        ("log/entries?kind=gossip", 400, "bad_value"),
        ("log/head?sise=1", 400, "bad_value"),
    ],
)
def test_what_is_not_in_the_log_is_refused(path: str, status: int, code: str) -> None:
    grow(2)
    assert told(Caller().get(path)) == (status, code)


def test_an_empty_log_has_no_head() -> None:
    for path in ("log/head", "log/file"):
        assert told(Caller().get(path)) == (404, "not_found")
    with pytest.raises(CommandError, match="Nothing was logged"):
        call_command("export_log", "nowhere")


def test_x2_a_receipt_proves_more_as_the_pool_goes_on(tmp_path: Path) -> None:
    pool, till, player = make_pool(), make_till(), make_player(1_000)
    placed = [bet_in_cash(pool, till, "1;1;1", 100), bet_from_account(pool, player, "1;X;1+2", 200)]
    ticket = placed[0].bet.ticket
    early = receipt_for(placed[0])
    assert set(early.json()) == {"format", "pool", "bet", "signatures"}
    run = check(tmp_path, "verify-receipt", early.content)
    assert (run.code, run.out) == (0, f"OK\nticket {ticket} of pool {pool.code}: not yet in a commitment\n")
    close_by_clock(pool)
    order = [bet.ticket for bet in Bet.objects.filter(pool=pool).order_by("ticket")]
    for one in placed:
        run = check(tmp_path, "verify-receipt", receipt_for(one).content)
        number = order.index(one.bet.ticket) + 1
        assert run.out.splitlines()[:2] == [
            "OK",
            f"ticket {one.bet.ticket} is bet {number} of the 2 of pool {pool.code}",
        ]
        assert run.out.splitlines()[2].endswith(", line 1 of 1")
    clock.move_clock(timedelta(hours=2))
    seal(pool, "1;1;1", started_at=pool.closes_at + timedelta(hours=1))
    settle_pool(code=pool.code, actor="test")
    last = receipt_for(placed[0])
    assert check(tmp_path, "verify-receipt", last.content).out.splitlines()[2].endswith(", line 1 of 3")
    assert last.json() | {"log": None, "signatures": None} == receipt_for(placed[0]).json() | {
        "log": None,
        "signatures": None,
    }
    assert placed[1].bet.ticket not in last.content.decode()


def test_d13_a_receipt_needs_the_check_code_and_guessing_is_slow() -> None:
    placed = bet_in_cash(make_pool(), make_till(), "1;1;1", 100)
    caller = Caller()
    body = {"ticket": placed.bet.ticket, "check_code": "0" * 14}
    for _try in range(10):
        assert told(caller.post("tickets/receipt", body, key=None)) == (400, "wrong_code")
    assert told(receipt_for(placed, caller)) == (429, "throttled")
    unknown = {"ticket": "T-0-0000000000", "check_code": "0" * 14}
    assert told(Caller().post("tickets/receipt", unknown, key=None))[1] in ("wrong_code", "throttled")


def test_x1_an_exported_pool_stands_in_the_exported_log(tmp_path: Path) -> None:
    pool = make_pool()
    bet_in_cash(pool, make_till(), "1;1;1", 100)
    play(pool)
    call_command("export_log", str(tmp_path))
    call_command("export_pool", pool.code, str(tmp_path / pool.code))
    call_command("export_keys", str(tmp_path / "keys.json"))
    log, keys = tmp_path / "log.jsonl", tmp_path / "keys.json"
    run = engine("verify-log", log, "--keys", keys, "--head", tmp_path / "head.json", "--bundle", tmp_path / pool.code)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"OK\nthe bets of {pool.code} were fixed in line 1, at ")
    assert "\n3 lines, head of " in run.out
    assert engine("verify", tmp_path / pool.code, "--keys", keys).out == "OK\n"
