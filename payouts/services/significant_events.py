"""Seeing to significant events: one of the staff says what was done; what nobody saw in time is flagged, once (N4)."""

import logging
from datetime import timedelta

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff, written
from payouts.queries.reports.significant import (
    ACKNOWLEDGED,
    OVERDUE,
    SignificantEvent,
    event_subject,
    significant_events,
)
from totalizator.core import clock
from totalizator.core.advisory import LockSpace, lock_named
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction

LOOKED_BACK = timedelta(days=400)
_FLAGGED_BACK = timedelta(days=60)
logger = logging.getLogger(__name__)


def acknowledge_event(*, key: str, words: str, acknowledged_by: User) -> SignificantEvent:
    """Say what was done about an event of the last 400 days; return it as it now stands.

    :raises DomainError: NOT_ALLOWED; NOT_FOUND; BAD_VALUE without words; WRONG_STATE when somebody has seen to it.
    """
    refuse_all_but_staff(acknowledged_by)
    words = written(words, field="words", most=2000)
    with one_transaction():
        lock_named(LockSpace.SIGNIFICANT_EVENT, key)
        event = event_named(key)
        if event.seen_at is not None:
            raise DomainError(Refusal.WRONG_STATE, _("Somebody has seen to this event already."), field="key")
        write_journal(
            at=clock.now(),
            actor=acknowledged_by.actor,
            act="acknowledge_event",
            subject=event_subject(key),
            reason=words,
            after={"what": event.kind, "subject": event.subject},
        )
        return event_named(key)


def event_named(key: str) -> SignificantEvent:
    """Return an event of the last 400 days; :raises DomainError: NOT_FOUND."""
    now = clock.now()
    found = [event for event in significant_events(now - LOOKED_BACK, now + timedelta(days=1)) if event.key == key]
    if not found:
        raise DomainError(Refusal.NOT_FOUND, _("There is no such event."), field="key")
    return found[0]


def flag_overdue_events(*, actor: str = "task:flag_overdue_events") -> list[SignificantEvent]:
    """Journal and log each event that nobody saw to in time, once; return those that were flagged now."""
    now = clock.now()
    late = [
        event for event in significant_events(now - _FLAGGED_BACK, now) if event.seen_at is None and event.overdue(now)
    ]
    subjects = [event_subject(event.key) for event in late]
    flagged = set(JournalRecord.objects.filter(act=OVERDUE, subject__in=subjects).values_list("subject", flat=True))
    fresh = [event for event in late if event_subject(event.key) not in flagged]
    with one_transaction():
        for event in fresh:
            logger.error("Nobody has seen to the significant event %s: %s %s", event.key, event.kind, event.subject)
            write_journal(
                at=now,
                actor=actor,
                act="event_overdue",
                subject=event_subject(event.key),
                after={"what": event.kind, "subject": event.subject},
            )
    return fresh


__all__ = ["ACKNOWLEDGED", "OVERDUE", "acknowledge_event", "event_named", "flag_overdue_events"]
