"""Reporting what a job could not do, once: a bad pool is tried again at every tick, without a new report (C28)."""

import logging

from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord

logger = logging.getLogger(__name__)


def report_failure(*, act: str, subject: str, fault: Exception, actor: str) -> bool:
    """Journal and log that `act` on `subject` failed; return False when the last report of it says the same."""
    act, reason = f"{act}_failed", f"{type(fault).__name__}: {fault}"
    last = JournalRecord.objects.filter(subject=subject, act=act).order_by("-id").first()
    if last is not None and last.reason == reason:
        return False
    write_journal(at=clock.now(), actor=actor, act=act, subject=subject, reason=reason)
    logger.error("%s %s: %s", act, subject, reason, exc_info=fault)
    return True
