"""Same request twice, one act: a repeated key gets the first answer, a reused key is refused (C36-C38)."""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256

from django.db import connection
from django.utils.translation import gettext_lazy as _

from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.prepared import prepared_cursor
from totalizator.core.transactions import one_transaction

MIN_KEY_LENGTH, MAX_KEY_LENGTH = 1, 200


def recall_or_reserve(*, scope: str, key: str, fingerprint: bytes, answer: str, created_at: datetime) -> str | None:
    """Reserve `key` for `answer` and return None, or return the answer that the key already has.

    Must run inside the transaction that does the act. A second request with the same key waits here until
    the first one ends, and then replays it (committed) or takes its place (rolled back).

    :raises DomainError: KEY_REUSED when the key was used for another request; BAD_VALUE for an empty or
        overlong key.
    """
    key_digest = digest_of_key(key)
    with prepared_cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_replayedanswer (scope, key_digest, fingerprint, answer, created_at)"
            " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (scope, key_digest) DO NOTHING",
            [scope, key_digest, fingerprint, answer, created_at],
        )
        if cursor.rowcount == 1:
            return None
        # A new statement, so that under READ COMMITTED it sees the row that the insert waited for.
        cursor.execute(
            "SELECT fingerprint, answer FROM core_replayedanswer WHERE scope = %s AND key_digest = %s",
            [scope, key_digest],
        )
        first_fingerprint, first_answer = cursor.fetchone()
    refuse_other_request(bytes(first_fingerprint), fingerprint)
    return str(first_answer)


def digest_of_key(key: str) -> bytes:
    """Return what is kept of a key; :raises DomainError: BAD_VALUE for an empty or overlong one."""
    if not MIN_KEY_LENGTH <= len(key) <= MAX_KEY_LENGTH:
        raise DomainError(
            Refusal.BAD_VALUE,
            _("The idempotency key must have 1 to 200 characters."),
            field="idempotency_key",
        )
    return sha256(key.encode()).digest()


def refuse_other_request(first_fingerprint: bytes, fingerprint: bytes) -> None:
    """Refuse another request under a key that was used; :raises DomainError: KEY_REUSED."""
    if first_fingerprint != fingerprint:
        raise DomainError(
            Refusal.KEY_REUSED,
            _("This idempotency key was already used for another request."),
            field="idempotency_key",
        )


def was_answered(*, scope: str, key: str) -> bool:
    """Tell whether a request with this key was done: then what was needed for it alone need not be there any more."""
    return answer_to(scope=scope, key=key) is not None


def answer_to(*, scope: str, key: str) -> str | None:
    """Return the answer to the request that was done with this key, or None where there was none."""
    with connection.cursor() as cursor:
        digest = sha256(key.encode()).digest()
        cursor.execute("SELECT answer FROM core_replayedanswer WHERE scope = %s AND key_digest = %s", [scope, digest])
        found = cursor.fetchone()
    return str(found[0]) if found is not None else None


def answered_at(*, scope: str, key: str) -> datetime:
    """Return when the request that was done with this key began; the caller knows that there was one."""
    with connection.cursor() as cursor:
        digest = sha256(key.encode()).digest()
        query = "SELECT created_at FROM core_replayedanswer WHERE scope = %s AND key_digest = %s"
        cursor.execute(query, [scope, digest])
        created_at: datetime = cursor.fetchone()[0]
    return created_at


def do_once(*, scope: str, key: str, fingerprint: bytes, answer: str, act: Callable[[], object]) -> str:
    """Do `act` unless the same request was done before, in one transaction; return the first request's answer.

    For acts that keep no keys themselves.

    :raises DomainError: KEY_REUSED, BAD_VALUE, and what `act` refuses: then the key is free again.
    """
    with one_transaction():
        at = clock.now()
        first = recall_or_reserve(scope=scope, key=key, fingerprint=fingerprint, answer=answer, created_at=at)
        if first is None:
            act()
    return answer if first is None else first


def fingerprint_of(act: str, *parts: object) -> bytes:
    """Return 32 bytes that differ when the act or any part of the request differs."""
    return sha256("\x1f".join([act, *map(str, parts)]).encode()).digest()
