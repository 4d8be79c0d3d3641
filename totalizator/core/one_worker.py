"""Only one worker at a piece of long work: the others see that it is being done, and leave it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections

from totalizator.core.advisory import LockSpace, number_of


@contextmanager
def one_worker(work: str) -> Iterator[bool]:
    """Tell the block whether it alone is at `work`, such as a job's name or `pool:17`; nobody waits.

    The lock is held by a transaction of a connection of its own, which ends with the block or with the process: the
    work itself can use as many transactions as it needs, also behind a pooler. It only saves work: what keeps two
    workers from settling twice is the locks and constraints of the work itself.
    """
    connection = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        connection.set_autocommit(False)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [int(LockSpace.TASK), number_of(work)])
            (alone,) = cursor.fetchone()
        yield bool(alone)
    finally:
        connection.close()
