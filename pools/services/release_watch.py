"""Checking that the code and configuration that run are the registered ones; if not, sales stop (R2)."""

import logging
from datetime import timedelta

from django.conf import settings

from accounts.services.release_changes import unapproved_release
from pools.services.pausing_by_itself import pause_by_itself
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.releases import release_differences, running_release

logger = logging.getLogger(__name__)
ACT = "check_release"
EVERY = timedelta(hours=24)
_SHOWN = 20


def check_release(*, actor: str) -> list[str]:
    """Compare what runs with the register, journal the outcome and return the differences.

    With RELEASE_MUST_HOLD, as in production, any of them stops all sales until the staff resume them, and so does a
    release without a change record that two people approved (R4).
    """
    differences = release_differences()
    if settings.RELEASE_MUST_HOLD:
        differences += unapproved_release()
    digest = running_release().digest
    write_journal(
        at=clock.now(), actor=actor, act=ACT, subject=f"release:{digest}", after={"differences": differences[:_SHOWN]}
    )
    if differences:
        logger.critical("Not the registered release: %s", "; ".join(differences[:_SHOWN]))
        if settings.RELEASE_MUST_HOLD:
            pause_by_itself(job=ACT, cause=f"Not the registered release: {differences[0]}")
    return differences


def checked_today() -> bool:
    """Tell whether the release that this process runs was checked in the last 24 hours."""
    since = clock.now() - EVERY
    subject = f"release:{running_release().digest}"
    return JournalRecord.objects.filter(subject=subject, act=ACT, at__gt=since).exists()
