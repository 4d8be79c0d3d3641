"""Which transactions are writing bets at this moment."""

from django.db import connection

from totalizator.core.advisory import LockSpace

# Whoever registers a bet holds its pool shared (pools/locks.py). Our own lock, if any, is no bet's.
_WRITING = """
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'advisory' AND classid = %s AND mode = 'ShareLock' AND granted AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def bets_being_written() -> set[str]:
    """Return the transactions that may be registering a bet now; each has a name that no later one gets."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITING, [int(LockSpace.POOL)])
        return {name for (name,) in cursor.fetchall()}
