"""Flagging rules texts that were published and not filed with the regulator in time (A3)."""

from datetime import date, timedelta

from pools.models import RulesText
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.legal import non_working_days
from totalizator.core.models import JournalRecord
from totalizator.core.transactions import one_transaction
from totalizator.engine.deadlines import legal_day, working_day

WORKING_DAYS = 2
CALENDAR_AHEAD = timedelta(days=60)
ACT = "flag_unfiled_rules"


def flag_unfiled_rules(*, actor: str) -> list[str]:
    """Journal, once, every version that has no filing record after its two working days; return the new ones."""
    with one_transaction():
        at = clock.now()
        overdue = [
            rules.version
            for rules in RulesText.objects.filter(filed_at__isnull=True)
            if legal_day(at) > last_filing_day(legal_day(rules.published_at)) and not _flagged(rules.version)
        ]
        for version in overdue:
            write_journal(at=at, actor=actor, act=ACT, subject=f"rules:{version}", reason="not filed in time")
    return overdue


def last_filing_day(published: date) -> date:
    """Return the last legal day on which a text published on `published` is filed in time."""
    days_off = non_working_days(published, published + CALENDAR_AHEAD)
    day = published
    for _ in range(WORKING_DAYS):
        day = working_day(day + timedelta(days=1), days_off)
    return day


def _flagged(version: str) -> bool:
    return JournalRecord.objects.filter(subject=f"rules:{version}", act=ACT).exists()
