"""The jobs of the plumbing: chaining the journal, comparing clocks."""

import logging

from celery import shared_task

from totalizator.core import clock, clock_drift, journal_seals
from totalizator.core.journal import write_journal

logger = logging.getLogger(__name__)


@shared_task
def seal_journal() -> None:
    """Seal every row of the journal that is not sealed yet (S1); one that is sealing already does it."""
    journal_seals.seal_journal()


@shared_task
def check_clock() -> None:
    """Flag a machine whose clock is too far from the database's (R3)."""
    at, drift = clock.now(), clock_drift.measure_drift()
    if clock_drift.drifts(drift, at):
        milliseconds = drift // clock_drift.MILLISECOND
        logger.critical("The clock of %s is %s ms ahead of the database's.", clock_drift.machine(), milliseconds)
        write_journal(
            at=at,
            actor="task:check_clock",
            act="clock_drifts",
            subject=f"machine:{clock_drift.machine()}",
            after={"milliseconds": milliseconds},
        )
