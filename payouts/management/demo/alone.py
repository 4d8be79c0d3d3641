"""One demonstration at a time on a database: each moves the one clock."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import connection

LOCK = 0x64656D6F  # "demo"


@contextmanager
def alone_on_this_database() -> Iterator[None]:
    """Hold a lock of this session, which ends with it even when the process is killed.

    :raises CommandError: when another demonstration holds it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        (free,) = cursor.fetchone()
    if not free:
        raise CommandError("Another demonstration runs on this database; wait for its end.")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
