"""Personal data and secrets at rest: encrypted columns, and keyed digests to look them up by equality.

A copy of the database tells nobody who the players are. The first of PERSONAL_DATA_KEYS encrypts, all of them
decrypt; `manage.py rotate_personal_data_keys` writes everything anew under the first one, after which the others can
go. So an append-only table has no encrypted column. The key of the digests (PERSONAL_DIGEST_KEY) is another one and
stays: what is only kept as a digest cannot be digested anew.
"""

import base64
import hmac
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.db import models


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as fault:
        raise ImproperlyConfigured("PERSONAL_DATA_KEYS: each must be 32 bytes in URL-safe base64.") from fault


def _personal_cipher() -> MultiFernet:
    """Return the cipher of the settings; where no key is set, which production refuses, one made of SECRET_KEY."""
    keys: Sequence[str] = settings.PERSONAL_DATA_KEYS
    return _cipher(tuple(keys) or (_made_of_secret_key("personal data"),))


def _made_of_secret_key(purpose: str) -> str:
    return base64.urlsafe_b64encode(sha256(f"{purpose}\n{settings.SECRET_KEY}".encode()).digest()).decode()


def encrypt(text: str) -> str:
    """Return a token that only the keys of the settings open; the same text gives another token each time."""
    return _personal_cipher().encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Return the text of a token.

    :raises ImproperlyConfigured: when none of PERSONAL_DATA_KEYS opens it.
    """
    try:
        return _personal_cipher().decrypt(token.encode()).decode()
    except InvalidToken as fault:
        raise ImproperlyConfigured("None of PERSONAL_DATA_KEYS opens what is stored.") from fault


def encrypt_anew(token: str) -> str:
    """Return the same text under the first key; :raises ImproperlyConfigured: when no key opens it."""
    return encrypt(decrypt(token))


def keyed_digest(purpose: str, text: str) -> bytes:
    """Return 32 bytes that are equal for equal texts and tell nothing without the key (¶35.3: data is confidential).

    `purpose` keeps the digests of different things apart. Bring `text` to one spelling first.
    """
    key = settings.PERSONAL_DIGEST_KEY or _made_of_secret_key("personal digests")
    return hmac.new(sha256(key.encode()).digest(), f"{purpose}\x1f{text}".encode(), sha256).digest()


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]
    """Text that the database only sees encrypted. It cannot be searched: keep a `keyed_digest` beside it for that."""

    def get_prep_value(self, value: Any) -> str | None:
        """Encrypt on the way in."""
        return None if value is None else encrypt(str(value))

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:  # noqa: ARG002
        """Decrypt on the way out."""
        return None if value is None else decrypt(value)

    def get_lookup(self, lookup_name: str) -> Any:
        """Refuse every comparison but with NULL: two tokens of one text differ."""
        if lookup_name != "isnull":
            raise FieldError(f"{self.name} is encrypted: look it up by its digest.")
        return super().get_lookup(lookup_name)
