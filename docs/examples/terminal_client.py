"""A terminal's side of the API, to start from: sign, sell, repeat with the same key, pay, print.

    export TOTALIZATOR_URL=https://… TOTALIZATOR_KEY=… TOTALIZATOR_SECRET=…
    python terminal_client.py sync
    python terminal_client.py sell 2411-1 "1;X;1+2" 2.00
    python terminal_client.py check 2411-1-7K3M9QX2RA CODE
    python terminal_client.py pay 2411-1-7K3M9QX2RA CODE

It needs Python 3.11 and httpx. How requests are signed: docs/api.md.
"""

import argparse
import hmac
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import httpx

TRIES = 5
WIDTH = 42  # characters of a slip


class Refused(Exception):
    """The system said no, and nothing was done. `code` never changes; the words are for people."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code = str(problem["code"])


class Terminal:
    """One terminal, known by its key's id and its secret (64 hex digits)."""

    def __init__(self, url: str, key_id: str, secret: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self.key_id, self.secret = key_id, bytes.fromhex(secret)
        self.http = httpx.Client(base_url=url, timeout=10, transport=transport)

    def synchronise(self) -> dict[str, Any]:
        """Say that the terminal is in touch; before that, and after a silence, it may not sell."""
        return self.ask("POST", "/api/v1/terminal/synchronisations")

    def quote(self, pool: str, selections: str) -> dict[str, Any]:
        """Ask what a coupon costs."""
        return self.ask("POST", f"/api/v1/pools/{pool}/quote", {"selections": selections})

    def sell(self, pool: str, selections: str, stake: str, key: str) -> dict[str, Any]:
        """Sell one bet for cash. The same key again is the same ticket, whatever became of the first answer."""
        body = {"selections": selections, "stake": stake}
        return self.ask("POST", f"/api/v1/pools/{pool}/bets", body, key=key)

    def sell_many(self, pool: str, bets: list[dict[str, str]]) -> list[dict[str, Any]]:
        """Sell up to 500 bets; each has `selections`, `stake`, `idempotency_key`, and gets an answer of its own."""
        answers: list[dict[str, Any]] = self.ask("POST", f"/api/v1/pools/{pool}/bets/batch", {"bets": bets})["answers"]
        return answers

    def check(self, ticket: str, check_code: str) -> dict[str, Any]:
        """Ask where a ticket stands."""
        return self.ask("POST", "/api/v1/tickets/check", {"ticket": ticket, "check_code": check_code})

    def pay(self, ticket: str, check_code: str, key: str) -> dict[str, Any]:
        """Pay a ticket in cash, once."""
        return self.ask("POST", f"/api/v1/tickets/{ticket}/payments", {"check_code": check_code}, key=key)

    def ask(self, method: str, path: str, body: Any = None, *, key: str = "") -> dict[str, Any]:
        """Send a request until it is answered: signed anew each time, with the same idempotency key each time.

        :raises Refused: when the answer is no.
        """
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        answer = _until_answered(
            lambda: self.http.request(method, path, content=content, headers=headers | self.sign(method, path, content))
        )
        told: dict[str, Any] = answer.json()
        if answer.is_success:
            return told
        raise Refused(told)

    def sign(self, method: str, path: str, content: bytes) -> dict[str, str]:
        """Return the four headers that say who asks: for this request, at this time, once."""
        now, nonce = datetime.now(UTC).isoformat(), secrets.token_hex(16)
        lines = ["TOTALIZATOR-1", now, nonce, method, path, sha256(content).hexdigest()]
        signature = hmac.new(self.secret, "\n".join(lines).encode(), sha256).hexdigest()
        return {
            "Totalizator-Key": self.key_id,
            "Totalizator-Time": now,
            "Totalizator-Nonce": nonce,
            "Totalizator-Signature": signature,
        }


def _until_answered(send: Callable[[], httpx.Response]) -> httpx.Response:
    """Try again after a lost line, and when asked to wait: with the same key nothing is done twice."""
    for attempt in range(TRIES):
        last = attempt == TRIES - 1
        try:
            answer = send()
        except httpx.TransportError:
            if last:
                raise
            time.sleep(2**attempt / 4)
            continue
        if answer.status_code not in (429, 503) or last:
            return answer
        time.sleep(float(answer.headers.get("Retry-After", "1")))
    raise AssertionError("the last try returns or raises")


def slip(bet: Mapping[str, Any]) -> str:
    """Lay out a sold bet for the printer. The check code proves who holds it: print it once, keep it nowhere."""
    facts = [
        ("Pool", bet["pool"]),
        ("Ticket", bet["ticket"]),
        ("Check code", bet["check_code"]),
        ("Selections", bet["selections"]),
        ("Lines", str(bet["lines"])),
        ("Stake, BYN", bet["stake"]),
        ("Registered", bet["registered_at"]),
        ("Rules", bet["rules_version"]),
    ]
    return "\n".join(_line(name, value) for name, value in facts)


def receipt(payment: Mapping[str, Any]) -> str:
    """Lay out a payment for the printer."""
    names = ("ticket", "gross", "tax", "net", "handed_over", "paid_at")
    return "\n".join(_line(name.replace("_", " ").capitalize(), payment[name]) for name in names)


def _line(name: str, value: str) -> str:
    return f"{name}: {value}" if len(name) + len(value) + 2 > WIDTH else f"{name}{value:>{WIDTH - len(name)}}"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 when it was done, 1 when it was refused."""
    asked = _arguments().parse_args(arguments)
    terminal = Terminal(os.environ["TOTALIZATOR_URL"], os.environ["TOTALIZATOR_KEY"], os.environ["TOTALIZATOR_SECRET"])
    # Keep the key before the request is sent: after a power cut it is how the answer is asked for again.
    key = getattr(asked, "key", None) or secrets.token_hex(16)
    try:
        if asked.command == "sync":
            print("in touch since", terminal.synchronise()["seen_at"])
        elif asked.command == "quote":
            print(json.dumps(terminal.quote(asked.pool, asked.selections)))
        elif asked.command == "sell":
            print(slip(terminal.sell(asked.pool, asked.selections, asked.stake, key)))
        elif asked.command == "check":
            print(json.dumps(terminal.check(asked.ticket, asked.check_code)))
        else:
            print(receipt(terminal.pay(asked.ticket, asked.check_code, key)))
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Sell and pay at a terminal.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sync")
    for name, wanted in {
        "quote": ("pool", "selections"),
        "sell": ("pool", "selections", "stake"),
        "check": ("ticket", "check_code"),
        "pay": ("ticket", "check_code"),
    }.items():
        command = commands.add_parser(name)
        for argument in wanted:
            command.add_argument(argument)
        if name in ("sell", "pay"):
            command.add_argument("--key", help="of an act that was begun before; a new one unless told")
    return parser


if __name__ == "__main__":
    sys.exit(main())
