"""Advisory locks that end with the transaction (safe behind a transaction pooler). Order: docs/locking.md."""

from enum import IntEnum
from hashlib import sha256

from django.db import connection


class LockSpace(IntEnum):
    """What a lock's number counts. The order in which locks are taken: docs/locking.md."""

    POOL = 1
    POINT = 2
    JACKPOT = 3
    TASK = 4
    PERSON = 5
    CARD_NUMBERS = 6
    TILL = 7
    POINT_CASH = 8
    CASH_DOCUMENTS = 9
    OUTBOX = 10
    PUBLIC_LOG = 11
    JOURNAL = 12
    TICKET = 13
    SIGNIFICANT_EVENT = 14
    IDENTITY_NUMBER = 15
    NUMBER_PROPOSAL = 16


def lock_shared(space: LockSpace, number: int) -> None:
    """Hold (`space`, `number`) together with other sharers until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [int(space), number])


def lock_exclusive(space: LockSpace, number: int) -> None:
    """Hold (`space`, `number`) alone until the transaction ends; waits for sharers, and none passes it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [int(space), number])


def lock_named(space: LockSpace, name: str) -> None:
    """Hold what goes by a name alone, as `lock_exclusive`."""
    lock_exclusive(space, number_of(name))


def number_of(name: str) -> int:
    """Return the number of what goes by a name; two names in a billion share one, and then wait for each other."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], signed=True)


def try_lock_exclusive(space: LockSpace, number: int) -> bool:
    """Take (`space`, `number`) alone if nobody has it; return whether it was taken."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [int(space), number])
        (taken,) = cursor.fetchone()
    return bool(taken)


def set_lock_timeout(milliseconds: int) -> None:
    """Give up waiting for any lock of this transaction after `milliseconds` (answered as BUSY, C29)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{milliseconds}ms"])
