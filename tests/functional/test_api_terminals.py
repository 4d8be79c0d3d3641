"""Terminals over the API: the worked bytes of docs/api.md, what is refused, and the example client at work."""

import hmac
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pytest_django.live_server_helper import LiveServer

from accounts.services.signed_requests import signed_text
from accounts.services.switching import switch_terminal
from payouts.services.booking import book_payables
from pools.models import Bet
from tests.daytime import go_by_day, go_by_true_time
from tests.desks import cash_in, keeper, make_terminal
from tests.functional.calling import Caller, told
from tests.making import make_pool, make_till
from tests.paying import go_to, payable_from
from tests.settling import settle
from tests.signing import signed_headers
from totalizator.core import clock

ROOT = Path(__file__).parents[2]
BODY = b'{"selections":"1;X;1+2","stake":"2.00"}'
BET = {"selections": "1;X;2", "stake": "1.00"}


def test_the_worked_bytes_of_the_documentation() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert BODY.decode() in page
    text = signed_text(
        time="2026-12-05T12:00:00Z",
        nonce="0123456789abcdef0123456789abcdef",
        method="POST",
        path="/api/v1/pools/2411-1/bets",
        body=BODY,
    )
    lines = text.decode().split("\n")
    assert lines[5] == sha256(BODY).hexdigest()
    assert "\n".join(lines[:5]) in page
    secret = bytes(range(32))
    hexes = re.findall(r"`([0-9a-f]{64,128})`", page)
    assert hexes == [
        lines[5],
        hmac.new(secret, text, sha256).hexdigest(),
        Ed25519PrivateKey.from_private_bytes(secret).sign(text).hex(),
    ]


@pytest.mark.django_db
def test_a_terminal_sells_into_its_till() -> None:
    pool, till = make_pool(), make_till()
    caller = Caller(make_terminal(till))
    sold = caller.post(f"pools/{pool.code}/bets", BET, key="one")
    assert (sold.status_code, sold.json()["channel"]) == (201, "cash")
    assert caller.post(f"pools/{pool.code}/bets", BET, key="one").json() == sold.json()
    assert cash_in(till) == 100
    assert caller.post("terminal/heartbeats", key=None).status_code == 200


@pytest.mark.django_db
def test_whatever_is_wrong_with_a_signature_is_one_answer() -> None:
    pool, made = make_pool(), make_terminal(make_till())
    caller, path = Caller(made), f"pools/{pool.code}/bets"
    late = (clock.now() - timedelta(minutes=2)).isoformat()
    good = signed_headers(made, "POST", f"/api/v1/{path}", b"")
    wrong: list[dict[str, str]] = [
        {"Totalizator-Key": "unknown"},
        {"Totalizator-Signature": "00" * 32},
        {"Totalizator-Signature": "no hex"},
        {"Totalizator-Nonce": "short"},
        {"Totalizator-Nonce": "\u00e9" * 20},
        {"Totalizator-Time": "yesterday"},
        signed_headers(made, "POST", f"/api/v1/{path}", b"", time=late),
        signed_headers(made, "GET", f"/api/v1/{path}", b""),
        signed_headers(made, "POST", f"/api/v1/{path}?a=1", b""),
        good,  # of another body
    ]
    for headers in wrong:
        answer = caller.post(path, BET, **headers)
        assert told(answer) == (401, "request_not_signed"), headers
        assert "detail" in answer.json()
    assert Bet.objects.count() == 0


@pytest.mark.django_db
def test_a_request_that_was_heard_cannot_be_sent_again() -> None:
    made = make_terminal(make_till())
    caller = Caller(made)
    headers = signed_headers(made, "POST", "/api/v1/terminal/heartbeats", b"")
    assert caller.post("terminal/heartbeats", key=None, **headers).status_code == 200
    assert told(caller.post("terminal/heartbeats", key=None, **headers)) == (401, "request_not_signed")


@pytest.mark.django_db
def test_a_terminal_that_is_switched_off_fails_on_its_next_request() -> None:
    pool, made = make_pool(), make_terminal(make_till())
    caller = Caller(made)
    assert caller.post(f"pools/{pool.code}/bets", BET).status_code == 201
    switch_terminal(terminal=made.terminal, on=False, reason="stolen", by=keeper())
    assert told(caller.post(f"pools/{pool.code}/bets", BET)) == (403, "switched_off")
    assert told(caller.post("terminal/heartbeats", key=None)) == (403, "switched_off")
    assert Bet.objects.count() == 1


@pytest.mark.django_db
def test_an_ed25519_terminal_signs_by_its_private_key() -> None:
    key = Ed25519PrivateKey.generate()
    made = make_terminal(make_till(), public_key=key.public_key().public_bytes_raw().hex())
    time, nonce = clock.now().isoformat(), "0123456789abcdef"
    path = "/api/v1/terminal/heartbeats"
    text = signed_text(time=time, nonce=nonce, method="POST", path=path, body=b"")
    headers = {
        "Totalizator-Key": made.terminal.key_id,
        "Totalizator-Time": time,
        "Totalizator-Nonce": nonce,
        "Totalizator-Signature": key.sign(text).hex(),
    }
    assert Caller().post("terminal/heartbeats", key=None, **headers).status_code == 200


@pytest.mark.django_db
def test_only_a_terminal_is_a_terminal() -> None:
    till = make_till()
    assert told(Caller(till.cashier).post("terminal/heartbeats", key=None)) == (403, "not_allowed")
    assert told(Caller(make_terminal(till)).get("me")) == (403, "not_allowed")


@pytest.fixture
def _true_time(transactional_db: None) -> Iterator[None]:
    go_by_true_time()
    yield
    go_by_day()


@pytest.mark.usefixtures("_true_time")
@pytest.mark.django_db(transaction=True)
def test_the_example_client_sells_repeats_and_pays_on_a_live_server(live_server: LiveServer) -> None:
    # The client tells the time by its own clock, so the server's is moved by less than the window.
    pool, till = make_pool(opens_in=timedelta(seconds=20)), make_till(10_000)
    made = make_terminal(till)
    assert made.secret is not None
    environment = os.environ | {
        "TOTALIZATOR_URL": live_server.url,
        "TOTALIZATOR_KEY": made.terminal.key_id,
        "TOTALIZATOR_SECRET": made.secret,
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        client = [sys.executable, str(ROOT / "docs/examples/terminal_client.py"), *arguments]
        return subprocess.run(client, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert run("sync").stdout.startswith("in touch since")
    sold = run("sell", pool.code, "1;X;2", "1.00", "--key", "a-key-kept-before")
    assert sold.returncode == 0, sold.stderr
    again = run("sell", pool.code, "1;X;2", "1.00", "--key", "a-key-kept-before")
    assert again.stdout == sold.stdout
    bet = Bet.objects.get()
    assert bet.ticket in sold.stdout
    check_code = sold.stdout.partition("Check code")[2].split()[0]
    refused = run("sell", pool.code, "1;X;9", "1.00")
    assert (refused.returncode, refused.stderr.partition(":")[0]) == (1, "bad_selection")
    assert '"standing": "in_play"' in run("check", bet.ticket, check_code).stdout
    assert run("pay", bet.ticket, check_code).stderr.startswith("not_payable_yet")
    assert cash_in(till) == 10_100


@pytest.mark.django_db
def test_the_example_client_pays_and_prints() -> None:
    pool, till = make_pool(), make_till(10_000)
    made = make_terminal(till)
    assert made.secret is not None
    client, terminal = example(), Caller(made)

    class InProcess:
        """httpx's client, answered by the application; the time is that of the moved clock."""

        def request(self, method: str, path: str, *, content: bytes, headers: dict[str, str]) -> Any:
            headers = {name: value for name, value in headers.items() if not name.startswith("Totalizator")}
            headers.pop("Content-Type")
            answer = terminal._send(method, path.removeprefix("/api/v1/"), content, headers)
            return client.httpx.Response(answer.status_code, content=answer.content)

    mine = client.Terminal("http://test", made.terminal.key_id, made.secret)
    mine.http = InProcess()
    bet = mine.sell(pool.code, "1;X;2", "1.00", "one")
    many = [{"selections": "1;X;2", "stake": stake, "idempotency_key": stake} for stake in ("1.00", "9.99")]
    assert [answer["status"] for answer in mine.sell_many(pool.code, many)] == [201, 400]
    assert bet["check_code"] in client.slip(bet)
    assert mine.quote(pool.code, "1+X;X;2")["price"] == "2.00"
    settle(pool, "1;X;2")
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    mine.synchronise()
    assert mine.check(bet["ticket"], bet["check_code"])["standing"] == "payable"
    printed = client.receipt(mine.pay(bet["ticket"], bet["check_code"], "two"))
    assert re.search(r"^Gross +0\.42$", printed, re.MULTILINE)
    assert re.search(r"^Handed over +0\.40$", printed, re.MULTILINE)
    with pytest.raises(client.Refused, match="already_paid"):
        mine.pay(bet["ticket"], bet["check_code"], "three")


def example() -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("terminal_client", ROOT / "docs/examples/terminal_client.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
