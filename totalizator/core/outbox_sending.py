"""Sending one signed message to a subscriber, and fetching a file, by httpx; never to our own networks (U1, U2)."""

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Any

import httpx

from totalizator.core.outbox_addresses import AddressRefused, resolve

TIME_HEADER = "Totalizator-Time"
SIGNATURE_HEADER = "Totalizator-Signature"
_WAIT = httpx.Timeout(10.0, connect=5.0)
_WHOLE_SECONDS = 20
_MOST_BYTES = 1 << 20


class NotSent(Exception):
    """Nothing is known of what became of the message: it is sent again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, and the bytes under it."""

    status: int
    body: bytes

    @property
    def is_taken(self) -> bool:
        """Whether the message was dealt with."""
        return self.status in (200, 201, 202, 204)

    @property
    def document(self) -> Any:
        """The JSON of the answer, None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):  # the second: nested too deep
            return None


def signature(secret: str, time: str, body: bytes) -> str:
    """Return the HMAC-SHA256, in hex, of the time, a full stop and the body."""
    return hmac.new(secret.encode(), time.encode() + b"." + body, sha256).hexdigest()


def post_signed(url: str, body: bytes, *, secret: str, time: str) -> Answer:
    """Send `body`, signed at `time` (seconds since 1970); :raises NotSent: when no answer came."""
    headers = {
        "Content-Type": "application/json",
        TIME_HEADER: time,
        SIGNATURE_HEADER: signature(secret, time, body),
    }
    return _call("POST", url, headers, body)


def fetch(url: str) -> Answer:
    """Fetch a file of 1 MiB at most; :raises NotSent: when no whole answer came."""
    return _call("GET", url, {}, None)


def _call(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Answer:
    """Call once: no redirect is followed, no proxy or password of the surroundings is used."""
    until = monotonic() + _WHOLE_SECONDS
    try:
        target = resolve(url)
        told = {**headers, "Host": target.host_header, "Accept-Encoding": "identity"}
        with (
            httpx.Client(timeout=_WAIT, trust_env=False, follow_redirects=False) as client,
            client.stream(
                method, target.url, headers=told, content=body, extensions={"sni_hostname": target.host}
            ) as response,
        ):
            return Answer(response.status_code, _read(response, until))
    except (httpx.HTTPError, httpx.InvalidURL, AddressRefused, OSError, ValueError) as fault:
        raise NotSent(f"{type(fault).__name__}: {fault}") from fault


def _read(response: httpx.Response, until: float) -> bytes:
    """Read the answer, unless it is too long or comes by drops."""
    read = bytearray()
    for piece in response.iter_raw():
        read += piece
        if len(read) > _MOST_BYTES or monotonic() > until:
            raise NotSent("The answer is too long, or too slow.")
    return bytes(read)
