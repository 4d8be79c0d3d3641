"""How long what is kept must be kept; whoever asks for it to be purged earlier is refused, on the record (Q1, S2).

Nothing here deletes. What is older than its term may be purged by the owner of the database, under the rules of
archives; this says from which day on that is so.
"""

from datetime import date, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import legal_number
from totalizator.core.transactions import one_transaction


class Kept(TextChoices):
    """What is kept, each with its own dated number: `retention_years_ledger`, `retention_days_video`."""

    LEDGER = "ledger", _("transfers, bets and payments")
    JOURNAL = "journal", _("the journal")
    IDENTITY = "identity", _("identity data")
    AML = "aml", _("identified operations, cases and reports")
    VIDEO = "video", _("the index of video records")


def kept_from(kept: Kept, today: date) -> date:
    """Return the first day whose records must still be there today."""
    if kept == Kept.VIDEO:
        return today - timedelta(days=int(legal_number("retention_days_video", today)))
    years = int(legal_number(f"retention_years_{kept}", today))
    day = min(today.day, 28) if today.month == 2 else today.day
    return date(today.year - years, today.month, day)


def allow_purge(*, kept: Kept, before: date, asked_by: User) -> date:
    """Say that records of days before `before` may be purged, and return from which day on they must stay.

    :raises DomainError: NOT_ALLOWED; KEPT_BY_LAW, with `kept_from`, when younger ones would go: this too is journalled.
    """
    refuse_all_but_staff(asked_by)
    today = clock.today()
    stays = kept_from(kept, today)
    refused = before > stays
    with one_transaction():
        write_journal(
            at=clock.now(),
            actor=asked_by.actor,
            act="refuse_purge" if refused else "allow_purge",
            subject=f"retention:{kept}",
            after={"before": before.isoformat(), "kept_from": stays.isoformat()},
        )
    if refused:
        message = _("Records from %(day)s on must be kept.") % {"day": f"{stays:%d.%m.%Y}"}
        raise DomainError(Refusal.KEPT_BY_LAW, message, field="before", kept_from=stays)
    return stays
