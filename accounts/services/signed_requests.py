"""That a request was signed by a terminal, lately, and was not sent before (C1).

What is signed is six lines, joined by newlines: `TOTALIZATOR-1`, the time (ISO 8601 with zone), the nonce, the method
in capitals, the path with its query, and the SHA-256 of the body in hex. The signature is hex.
"""

import hmac
from datetime import datetime, timedelta
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.models import KeyKind, Terminal, TerminalNonce
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.prepared_rows import PreparedRow
from totalizator.core.transactions import one_transaction

WINDOW = timedelta(minutes=1)
"""How far the time of a request may be from the database's, either way."""
MIN_NONCE, MAX_NONCE = 16, 64
_TERMINAL = PreparedRow(
    lambda: Terminal.objects.select_related("till__point", "till__ledger_account", "till__cashier"), by="key_id"
)


def verify_signed_request(
    *, key_id: str, time: str, nonce: str, method: str, path: str, body: bytes, signature: str
) -> Terminal:
    """Return the terminal that signed the request, its nonce used up; call it outside any transaction.

    :raises DomainError: REQUEST_NOT_SIGNED, one answer for an unknown key, a wrong signature, a time outside the window
        and a nonce used before; SWITCHED_OFF when the signature is right and the terminal, till or point is off.
    """
    now = clock.now()
    signer = _TERMINAL.read(key_id)
    signed = signed_text(time=time, nonce=nonce, method=method, path=path, body=body)
    if (
        signer is None
        or not _in_window(time, now)
        or not MIN_NONCE <= len(nonce) <= MAX_NONCE
        or not _signed_by(signer, signed, signature)
        or not _first_use(signer, nonce, now)
    ):
        raise DomainError(Refusal.REQUEST_NOT_SIGNED, _("The request is not signed by a terminal as it must be."))
    if not (signer.enabled and signer.till.enabled and signer.till.point.enabled):
        raise DomainError(Refusal.SWITCHED_OFF, _("This terminal is switched off."))
    return signer


def signed_text(*, time: str, nonce: str, method: str, path: str, body: bytes) -> bytes:
    """Return the bytes that a terminal signs."""
    return "\n".join(["TOTALIZATOR-1", time, nonce, method.upper(), path, sha256(body).hexdigest()]).encode()


def forget_old_nonces() -> int:
    """Delete the nonces whose requests are too old to be accepted anyway; return how many."""
    deleted, _by_model = TerminalNonce.objects.filter(used_at__lt=clock.now() - 3 * WINDOW).delete()
    return deleted


def _in_window(time: str, now: datetime) -> bool:
    try:
        sent = datetime.fromisoformat(time)
    except ValueError:
        return False
    return sent.tzinfo is not None and abs(now - sent) <= WINDOW


def _signed_by(terminal: Terminal, text: bytes, signature: str) -> bool:
    try:
        given = bytes.fromhex(signature)
        if terminal.key_kind == KeyKind.HMAC:
            assert terminal.secret is not None
            return hmac.compare_digest(hmac.new(bytes.fromhex(terminal.secret), text, sha256).digest(), given)
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(terminal.public_key)).verify(given, text)
    except (ValueError, InvalidSignature):
        return False
    return True


def _first_use(terminal: Terminal, nonce: str, now: datetime) -> bool:
    """Use up a nonce; of two requests with one nonce at the same instant one is the first."""
    with one_transaction(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_terminalnonce (terminal_id, nonce, used_at) VALUES (%s, %s, %s)"
            " ON CONFLICT (terminal_id, nonce) DO NOTHING",
            [terminal.pk, nonce, now],
        )
        return bool(cursor.rowcount)
