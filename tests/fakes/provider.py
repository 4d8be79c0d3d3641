"""A payment system on 127.0.0.1 that speaks the protocol of docs/payments.md, and can be told to do it badly."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from threading import Event
from typing import Any

from accounts.models import Currency
from accounts.services.providers.signatures import SIGNATURE_HEADER, TIME_HEADER, signature
from tests.fakes.serving import JsonHandler, serving
from totalizator.core import clock

KEY = "the key that we and the payment system know"
CREDIT_CARD = {"kind": "credit", "token": "tok-credit-4242", "label": "•••• 4242"}
DEBIT_CARD = {"kind": "debit", "token": "tok-debit-1881", "label": "•••• 1881"}


@dataclass(frozen=True)
class Message:
    """A webhook: what is sent, and how it is signed."""

    body: bytes
    time: str
    signed: str

    @property
    def headers(self) -> dict[str, str]:
        return {TIME_HEADER: self.time, SIGNATURE_HEADER: self.signed}


@dataclass
class FakeProvider:
    """What it knows of our references, the calls it got, and how it misbehaves.

    `silent` takes a payout or a refund and never answers; `broken` answers 500 without taking it; `refusing` refuses
    it; `answers` is what it then says otherwise than it was told.
    """

    url: str = ""
    payments: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    silent: bool = False
    broken: bool = False
    refusing: bool = False
    answers: dict[str, Any] = field(default_factory=dict)
    arrived: Event = field(default_factory=Event)
    statements: dict[str, str] = field(default_factory=dict)
    _events: "count[int]" = field(default_factory=lambda: count(1))

    def message(
        self,
        kind: str,
        reference: str,
        outcome: str = "done",
        *,
        event_id: str | None = None,
        key: str = KEY,
        at: datetime | None = None,
        **changes: Any,
    ) -> Message:
        """What it would send of a payment now; it is not sent by itself."""
        known = self.payments.get(reference, {"amount": 1000, "currency": "BYN", "id": "P-0"})
        told = {
            "event_id": event_id or f"E-{next(self._events)}",
            "kind": kind,
            "reference": reference,
            **known,
            "outcome": outcome,
            **changes,
        }
        body = json.dumps(told).encode()
        time = str(int((at or clock.now()).timestamp()))
        return Message(body, time, signature(key, time, body))

    def answer(self, method: str, path: str, document: Mapping[str, Any]) -> tuple[int, Any]:
        """Deal with one call."""
        self.calls.append(f"{method} {path}")
        if path.startswith("/statements/"):
            text = self.statements.get(path.rpartition("/")[2])
            return (404, {"refused": "not yet"}) if text is None else (200, text)
        if path.startswith("/payments/"):
            known = self.payments.get(path.rpartition("/")[2])
            return (200, known) if known is not None else (404, {"refused": "unknown"})
        if self.broken:
            return 500, {"error": "out of order"}
        if self.refusing:
            return 422, {"refused": "the card is closed"}
        reference = document["reference"]
        self.payments[reference] = {
            "id": f"P-{len(self.payments) + 1}",
            "outcome": "under_way",
            "amount": document["amount"],
            "currency": document["currency"],
            **self.answers,
        }
        if path == "/deposits":
            return 200, {"pay_at": f"https://pay.example/{reference}"}
        return 200, self.payments[reference]


def statement(*lines: str) -> str:
    """The file of a day."""
    return "\n".join(["reference;kind;outcome;amount;currency", *lines, ""])


def settings_of(provider: FakeProvider, *, timeout_seconds: int = 1) -> dict[str, dict[str, Any]]:
    """Settings that know this payment system as `fake`."""
    told = {"url": provider.url, "keys": [KEY], "currencies": list(Currency), "timeout_seconds": timeout_seconds}
    return {"fake": told}


@contextmanager
def running() -> Iterator[FakeProvider]:
    """Run one as a real HTTP server for the block."""
    provider = FakeProvider()
    over = Event()

    class Handler(JsonHandler):
        def do_GET(self) -> None:  # noqa: N802
            self._do(b"")

        def do_POST(self) -> None:  # noqa: N802
            self._do(self.body())

        def _do(self, body: bytes) -> None:
            signed = signature(KEY, self.headers[TIME_HEADER], f"{self.command} {self.path}\n".encode() + body)
            if signed != self.headers[SIGNATURE_HEADER]:
                return self.say(403, {"refused": "wrong signature"})
            status, document = provider.answer(self.command, self.path, json.loads(body or b"{}"))
            provider.arrived.set()
            if provider.silent and self.path in ("/payouts", "/refunds"):
                over.wait(timeout=30)  # the caller gives up long before
                return None
            return self.say(status, document)

    with serving(Handler) as provider.url:
        try:
            yield provider
        finally:
            over.set()
