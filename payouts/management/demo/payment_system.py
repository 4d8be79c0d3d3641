"""A payment system for the demonstration: it answers at a port of this machine, and sends signed messages."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any

from django.conf import settings

from accounts.models import Currency, GameAccount
from accounts.services.provider_deposits import begin_deposit
from accounts.services.provider_events import take_event
from accounts.services.providers.known import find_provider
from accounts.services.providers.signatures import SIGNATURE_HEADER, TIME_HEADER, signature
from totalizator.core import clock

NAME, KEY = "demo", "the key of the demonstration's payment system"


class PaymentSystem:
    """It takes every deposit, and pays every payout at once."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._number = count(1)

    def deposit(self, account: GameAccount, amount: int) -> None:
        """Begin a deposit of `amount` kopecks, and tell of the money by a signed message."""
        begun = begin_deposit(
            account=account, provider=NAME, amount=amount, currency=Currency.BYN, return_to="https://example.org/"
        )
        card = {"kind": "debit", "token": f"demo-card-{account.pk}", "label": f"•••• {account.pk:04}"}
        self._tell({**self.paid(begun.deposit.reference, amount), "kind": "deposit", "instrument": card})

    def paid(self, reference: str, amount: int) -> dict[str, Any]:
        """Return how a payment stands here: done."""
        done = {"id": f"P{self._run}-{next(self._number)}", "outcome": "done"}
        return {"reference": reference, "amount": amount, "currency": str(Currency.BYN), **done}

    def _tell(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({**message, "event_id": f"E{self._run}-{next(self._number)}"}).encode()
        at = clock.now()
        time = str(int(at.timestamp()))
        headers = {TIME_HEADER: time, SIGNATURE_HEADER: signature(KEY, time, body)}
        take_event(provider=NAME, event=find_provider(NAME).verify_webhook(headers, body, at))


@contextmanager
def payment_system(run: int) -> Iterator[PaymentSystem]:
    """Run the payment system, and let this process know of it, for as long as the block lasts."""
    system = PaymentSystem(run)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/deposits":
                answer: dict[str, Any] = {"pay_at": "https://example.org/pay"}
            else:
                answer = system.paid(told["reference"], told["amount"])
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    known = settings.PAYMENT_PROVIDERS
    told = {"url": f"http://127.0.0.1:{server.server_port}", "keys": [KEY], "currencies": [str(Currency.BYN)]}
    settings.PAYMENT_PROVIDERS = {**known, NAME: told}
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield system
    finally:
        settings.PAYMENT_PROVIDERS = known
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
