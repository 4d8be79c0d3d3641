"""Signed messages: HMAC-SHA256 over their time and body, accepted for a few minutes (U3)."""

import hmac
from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

TIME_HEADER, SIGNATURE_HEADER = "X-Signature-Time", "X-Signature"
WINDOW = timedelta(minutes=5)
_LONGEST_TIME = 12  # digits


def signature(key: str, time: str, body: bytes) -> str:
    """Return the signature, in hex, of a body at a time given in whole seconds since 1970."""
    return hmac.new(key.encode(), time.encode() + b"\n" + body, sha256).hexdigest()


def refuse_unsigned(keys: Collection[str], *, time: str, signed: str, body: bytes, now: datetime) -> None:
    """Refuse a message that none of the keys has signed, or that was signed too long ago, or ahead of time.

    :raises DomainError: BAD_SIGNATURE, in the same words for all of them.
    """
    # Every key is tried, so that the time it takes does not tell which.
    known = [hmac.compare_digest(signature(key, time, body).encode(), signed.encode()) for key in keys]
    timely = time.isascii() and time.isdigit() and len(time) <= _LONGEST_TIME
    if not (any(known) and timely and abs(int(now.timestamp()) - int(time)) <= WINDOW.seconds):
        raise DomainError(Refusal.BAD_SIGNATURE, _("The message is not signed by the payment system, or not lately."))
