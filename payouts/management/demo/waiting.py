"""Moving the clock, and waiting until Celery has done what the clock asks for."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.core.management.base import CommandError

from payouts.tasks import (
    book_due_payables,
    credit_due_accounts,
    expire_due_winnings,
    post_due_agent_commissions,
)
from pools.tasks import close_due_pools, open_due_pools, settle_due_pools
from totalizator.core import clock

# What beat sends, in the order in which a pool goes through it.
TASKS: Sequence[Callable[[], object]] = (
    open_due_pools,
    close_due_pools,
    settle_due_pools,
    book_due_payables,
    post_due_agent_commissions,
    credit_due_accounts,
    expire_due_winnings,
)
POLL_SECONDS = 0.2


class Stage:
    """The clock, and who does the work: Celery's worker and beat, or the same tasks called in this process."""

    def __init__(self, *, celery: bool, patience: int) -> None:
        self._celery = celery
        self._patience = patience

    def move_clock_to(self, instant: datetime) -> None:
        """Let the clock show `instant`, if it does not show a later one already."""
        ahead = instant - clock.now()
        if ahead > timedelta(0):
            clock.move_clock(ahead)

    def wait_for(self, what: str, is_done: Callable[[], bool]) -> None:
        """Return when `is_done`. :raises CommandError: when Celery did not get there in time."""
        if not self._celery:
            for task in TASKS:
                task()
        deadline = time.monotonic() + self._patience
        while not is_done():
            if not self._celery or time.monotonic() > deadline:
                raise CommandError(self._complaint(what))
            time.sleep(POLL_SECONDS)

    def _complaint(self, what: str) -> str:
        if not self._celery:
            return f"The tasks ran, but {what} did not happen; the journal and the tasks' log say why."
        return (
            f"Waited {self._patience} seconds for {what}. Do a Celery worker and beat run on this database? "
            "`make start` starts them, their logs are in .local/log; --no-celery does without."
        )
