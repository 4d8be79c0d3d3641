"""Writing the journal. Every service that changes something writes one record, in its own transaction (S1)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from totalizator.core.models import JournalRecord


def write_journal(
    *,
    at: datetime,
    actor: str,
    act: str,
    subject: str,
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Append one act. A batch is one record with its row count and sum (C25).

    `before` and `after` hold JSON values; personal data, passphrases and check codes do not belong there.
    """
    JournalRecord.objects.create(
        at=at,
        actor=actor,
        act=act,
        subject=subject,
        reason=reason,
        before=dict(before) if before is not None else None,
        after=dict(after) if after is not None else None,
    )
