"""A file that only a passphrase opens: for secrets that leave the house once, such as a printer's activation codes.

The format, so that it can be opened without this program: the line `TOTALIZATOR SEALED 1` with its newline; one byte n;
16 bytes of salt; 12 bytes of nonce; then AES-256-GCM of the content with its 16-byte tag at the end, everything before
it as associated data. The key is scrypt of the UTF-8 passphrase and the salt, N = 2^n, r = 8, p = 1, 32 bytes.
"""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from totalizator.core.errors import DomainError, Refusal

MAGIC = b"TOTALIZATOR SEALED 1\n"
MIN_PASSPHRASE = 16  # characters
_SALT, _NONCE = 16, 12
_HEAD = len(MAGIC) + 1 + _SALT + _NONCE
_MOST_LOG2_COST = 20  # 1 GiB: a file must not be able to ask for all memory


def seal(content: bytes, passphrase: str) -> bytes:
    """Return `content` sealed under `passphrase`; sealing again gives other bytes.

    :raises DomainError: BAD_VALUE for a passphrase of less than 16 characters.
    """
    if len(passphrase) < MIN_PASSPHRASE:
        raise DomainError(Refusal.BAD_VALUE, _("The passphrase must have at least 16 characters."), field="passphrase")
    log2_cost = int(settings.PASSPHRASE_COST).bit_length() - 1
    salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
    head = MAGIC + bytes([log2_cost]) + salt + nonce
    return head + AESGCM(_key(passphrase, salt, log2_cost)).encrypt(nonce, content, head)


def open_sealed(sealed: bytes, passphrase: str) -> bytes:
    """Return what was sealed.

    :raises DomainError: BAD_VALUE when it is no sealed file, was changed, or the passphrase is another.
    """
    head, encrypted = sealed[:_HEAD], sealed[_HEAD:]
    log2_cost = head[len(MAGIC)] if len(head) == _HEAD and head.startswith(MAGIC) else 0
    if not 1 <= log2_cost <= _MOST_LOG2_COST:
        raise DomainError(Refusal.BAD_VALUE, _("This is not a sealed file."), field="file")
    salt, nonce = head[-_SALT - _NONCE : -_NONCE], head[-_NONCE:]
    try:
        return AESGCM(_key(passphrase, salt, log2_cost)).decrypt(nonce, encrypted, head)
    except InvalidTag as fault:
        message = _("The passphrase is another one, or the file was changed.")
        raise DomainError(Refusal.BAD_VALUE, message, field="passphrase") from fault


def _key(passphrase: str, salt: bytes, log2_cost: int) -> bytes:
    return Scrypt(salt=salt, length=32, n=2**log2_cost, r=8, p=1).derive(passphrase.encode())
