"""Writing the journal. Every service that changes something writes one record, in its own transaction (S1)."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from totalizator.core.prepared import prepared_cursor


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
    with prepared_cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_journalrecord (at, actor, act, subject, reason, before, after)"
            " VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s::jsonb)",
            [at, actor, act, subject, reason, _json(before), _json(after)],
        )


def _json(document: Mapping[str, Any] | None) -> str | None:
    return None if document is None else json.dumps(dict(document), ensure_ascii=False)
