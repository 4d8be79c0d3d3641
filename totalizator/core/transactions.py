"""One act, one transaction. Waiting too long for a lock is answered as BUSY, never as a crash (C29)."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction
from django.utils.translation import gettext_lazy as _
from psycopg import errors as pg

from totalizator.core.errors import DomainError, Refusal

# A retry by the caller can succeed: somebody else held a lock, or two acts met head-on.
_RETRYABLE = (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure, pg.QueryCanceled)


@contextmanager
def one_transaction() -> Iterator[None]:
    """Run the block in one transaction (a savepoint inside a running one).

    :raises DomainError: BUSY when a lock could not be had in time; nothing was done, trying again is safe.
    """
    try:
        with transaction.atomic():
            yield
    except OperationalError as fault:
        if isinstance(fault.__cause__, _RETRYABLE):
            raise DomainError(Refusal.BUSY, _("The system is busy; please try again.")) from fault
        raise
