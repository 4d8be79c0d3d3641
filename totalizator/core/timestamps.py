"""Time-stamps of others: RFC 3161 tokens over what is published, believed only once they are verified (X1).

An authority is named in the setting TIMESTAMP_AUTHORITIES: whom to ask, and the certificates (PEM) that its tokens lead
to. It learns a digest and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
from cryptography.x509 import load_pem_x509_certificates
from django.conf import settings
from rfc3161_client import (
    HashAlgorithm,
    PKIStatus,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

MEDIA_TYPE = "application/timestamp-reply"
_SHA256 = "2.16.840.1.101.3.4.2.1"
_WAIT = httpx.Timeout(10.0, connect=5.0)
_WHOLE_SECONDS = 20
_MOST_BYTES = 1 << 16


class NotStamped(Exception):
    """The authority gave no token that holds: it is asked again."""


@dataclass(frozen=True, slots=True)
class Authority:
    """A time-stamping authority: its name here, where it is asked, the file of the certificates it is held to."""

    name: str
    url: str
    ca_file: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """A verified token. `at` is the authority's time; `answer` is a TimeStampResp in DER, as `openssl ts` reads it."""

    at: datetime
    serial: str
    answer: bytes


def authorities() -> list[Authority]:
    """Return the authorities of the settings, by their names."""
    known: dict[str, dict[str, str]] = settings.TIMESTAMP_AUTHORITIES
    return [Authority(name, told["url"], told["ca_file"]) for name, told in sorted(known.items())]


def ask_for_stamp(authority: Authority, message: bytes) -> Stamp:
    """Ask for a token over the SHA-256 of `message`; call it outside any transaction.

    :raises NotStamped: when no answer comes, or one that does not hold.
    """
    request = TimestampRequestBuilder(message, HashAlgorithm.SHA256, nonce=True, cert_req=True).build()
    return read_stamp(_post(authority.url, request.as_bytes()), message, authority, nonce=request.nonce)


def read_stamp(answer: bytes, message: bytes, authority: Authority, *, nonce: int | None = None) -> Stamp:
    """Verify a token: its signature up to the authority's certificates, what it is over, and that it answers `nonce`.

    :raises NotStamped: for one that does not hold.
    """
    try:
        certificates = load_pem_x509_certificates(Path(authority.ca_file).read_bytes())
        response = decode_timestamp_response(answer)
        if response.status != PKIStatus.GRANTED:
            raise NotStamped(f"refused: status {response.status}")
        VerifierBuilder(roots=certificates, nonce=nonce).build().verify(response, sha256(message).digest())
        return _verified(response, answer)
    except (OSError, ValueError, VerificationError) as fault:
        raise NotStamped(f"{type(fault).__name__}: {fault}") from fault


def is_over(answer: bytes, message: bytes) -> bool:
    """Tell whether a kept answer, which was verified when it came, is over the SHA-256 of `message`."""
    try:
        told: Any = decode_timestamp_response(answer).tst_info
    except ValueError:
        return False
    return bool(told.message_imprint.message == sha256(message).digest())


def _verified(response: TimeStampResponse, answer: bytes) -> Stamp:
    told: Any = response.tst_info
    if told.message_imprint.hash_algorithm.dotted_string != _SHA256:
        raise NotStamped("the token is not over a SHA-256")
    return Stamp(told.gen_time, str(told.serial_number), answer)


def _post(url: str, query: bytes) -> bytes:
    headers = {"Content-Type": "application/timestamp-query", "Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(timeout=_WAIT, trust_env=False, follow_redirects=False) as client,
            client.stream("POST", url, content=query, headers=headers) as response,
        ):
            if response.status_code != 200:
                raise NotStamped(f"answered {response.status_code}")
            return b"".join(_short(response, monotonic() + _WHOLE_SECONDS))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as fault:
        raise NotStamped(f"no answer: {type(fault).__name__}") from fault


def _short(response: httpx.Response, until: float) -> Iterator[bytes]:
    """Yield the answer, unless it is too long or comes by drops."""
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > _MOST_BYTES or monotonic() > until:
            raise NotStamped("the answer is too long, or too slow")
        yield piece
