"""A payment system that speaks JSON over HTTP, signed both ways (docs/payments.md tells the protocol)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext_lazy as _

from accounts.models import Currency, InstrumentKind
from accounts.services.providers.interface import (
    DepositOrder,
    NotAnswered,
    Outcome,
    PayoutOrder,
    ProviderEvent,
    RefundOrder,
    ReportedInstrument,
    Standing,
)
from accounts.services.providers.signatures import SIGNATURE_HEADER, TIME_HEADER, refuse_unsigned, signature
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal

_MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpJsonProvider:
    """One such payment system. The first key signs our calls; any of them may have signed its messages."""

    name: str
    url: str
    keys: tuple[str, ...] = field(repr=False)
    currencies: frozenset[Currency]
    timeout_seconds: int = 10

    def start_deposit(self, order: DepositOrder) -> str:
        """Begin a deposit, and return the address at which the player pays."""
        answer = self._call(
            "POST",
            "/deposits",
            {
                "reference": order.reference,
                "amount": order.amount,
                "currency": order.currency,
                "return_to": order.return_to,
            },
        )
        pay_at = answer.get("pay_at")
        if not isinstance(pay_at, str):
            raise DomainError(Refusal.PROVIDER_AWAY, _("The payment system has refused to begin."))
        return pay_at

    def verify_webhook(self, headers: Mapping[str, str], body: bytes, now: datetime) -> ProviderEvent:
        """Return what a message says, whose signature and time are right."""
        refuse_unsigned(
            self.keys,
            time=headers.get(TIME_HEADER, ""),
            signed=headers.get(SIGNATURE_HEADER, ""),
            body=body,
            now=now,
        )
        try:
            message = json.loads(body)
            return ProviderEvent(
                event_id=_text(message, "event_id"),
                kind=_text(message, "kind"),
                reference=_text(message, "reference"),
                standing=_standing(message),
                body_digest=f"sha256:{sha256(body).hexdigest()}",
            )
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            raise DomainError(Refusal.BAD_VALUE, _("The message cannot be read.")) from fault

    def send_payout(self, order: PayoutOrder) -> Standing:
        """Send money; what the payment system refuses has failed."""
        answer = self._call(
            "POST",
            "/payouts",
            {
                "reference": order.reference,
                "amount": order.amount,
                "currency": order.currency,
                "token": order.token,
                "expires_at": int(order.expires_at.timestamp()),
            },
        )
        return self._begun(answer, order)

    def send_refund(self, order: RefundOrder) -> Standing:
        """Give a deposit back to its payer; what the payment system refuses has failed."""
        answer = self._call(
            "POST",
            "/refunds",
            {
                "reference": order.reference,
                "of": order.of,
                "amount": order.amount,
                "currency": order.currency,
                "expires_at": int(order.expires_at.timestamp()),
            },
        )
        return self._begun(answer, order)

    def status_of(self, reference: str) -> Standing | None:
        """Return how one of our references stands; None: it has never heard of it."""
        answer = self._call("GET", f"/payments/{quote(reference, safe='')}")
        return None if answer.get("refused") == "unknown" else self._read(answer)

    def statement_of(self, day: date) -> str:
        """Return the file of what came to an end on a legal day."""
        status, body = self._send("GET", f"/statements/{day.isoformat()}", b"")
        if status != 200:
            raise NotAnswered(f"{self.name}: statement of {day}: {status}")
        return body.decode("utf-8", errors="replace")

    def _begun(self, answer: Mapping[str, Any], order: PayoutOrder | RefundOrder) -> Standing:
        if "refused" in answer:
            return Standing(Outcome.FAILED, "", order.amount, order.currency, reason=_storable(str(answer["refused"])))
        return self._read(answer)

    def _read(self, answer: Mapping[str, Any]) -> Standing:
        try:
            return _standing(answer)
        except (ValueError, KeyError, TypeError) as fault:
            raise NotAnswered(f"{self.name}: {fault!r}") from fault

    def _call(self, method: str, path: str, document: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Return the answer; a refusal (4xx) is an answer with the member `refused`."""
        status, body = self._send(method, path, b"" if document is None else json.dumps(document).encode())
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as fault:
            raise NotAnswered(f"{self.name}: {status}, no JSON") from fault
        refused = 400 <= status < 500
        if not isinstance(answer, dict) or not (status == 200 or (refused and "refused" in answer)):
            raise NotAnswered(f"{self.name}: {status}")
        return answer

    def _send(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout_seconds)
        target = parts.path.rstrip("/") + path
        time = str(int(clock.now().timestamp()))
        signed = signature(self.keys[0], time, f"{method} {target}\n".encode() + body)
        headers = {"Content-Type": "application/json", TIME_HEADER: time, SIGNATURE_HEADER: signed}
        try:
            connection.request(method, target, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(_MOST_BYTES)
        except (OSError, HTTPException) as fault:
            raise NotAnswered(f"{self.name}: {fault!r}") from fault
        finally:
            connection.close()


def _standing(document: Mapping[str, Any]) -> Standing:
    """Read how a payment stands; :raises ValueError: (or KeyError, TypeError) for what cannot be read."""
    amount = document["amount"]
    if type(amount) is not int or amount <= 0:
        raise ValueError("amount")
    instrument = document.get("instrument")
    return Standing(
        outcome=Outcome(_text(document, "outcome")),
        provider_reference=_text(document, "id"),
        amount=amount,
        currency=Currency(_text(document, "currency")),
        reason=_storable(str(document.get("reason", "")))[:200],
        instrument=None if instrument is None else _instrument(instrument),
    )


def _instrument(document: Mapping[str, Any]) -> ReportedInstrument:
    kind = InstrumentKind(_text(document, "kind"))
    return ReportedInstrument(kind, _text(document, "token"), _text(document, "label"))


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document[name]
    if not isinstance(value, str) or not 0 < len(value) <= 80 or value != _storable(value):
        raise ValueError(name)
    return value


def _storable(text: str) -> str:
    """Return what a database keeps of a text: no NUL, and no half of a character."""
    return text.replace("\0", "").encode(errors="ignore").decode()
