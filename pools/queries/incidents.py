"""The register of incidents as a file (T2)."""

import csv
from collections.abc import Iterator
from datetime import datetime
from io import StringIO

from pools.models import Incident

# Since when a pause forbids a bet in a pool, a channel, at a point; asked at every bet.
PAUSED = """
SELECT i.started_at FROM pools_incident i
WHERE i.state = 'open' AND (i.pool_id IS NULL OR i.pool_id = %(pool)s) AND i.channel IN ('', %(channel)s)
  AND (i.point_id IS NULL OR i.point_id = %(point)s)
ORDER BY i.id LIMIT 1
"""

COLUMNS = (
    "number",
    "state",
    "started_at",
    "ended_at",
    "pool",
    "channel",
    "point",
    "cause",
    "outcome",
    "started_by",
    "ended_by",
)


def incidents_csv() -> Iterator[str]:
    """Yield the whole register from the oldest, a line each, under a heading: RFC 4180, instants in UTC."""
    yield _line(COLUMNS)
    incidents = Incident.objects.select_related("pool", "point", "started_by", "ended_by").order_by("pk")
    for incident in incidents.iterator():
        yield _line(
            (
                str(incident.pk),
                incident.state,
                _instant(incident.started_at),
                _instant(incident.ended_at),
                incident.pool.code if incident.pool is not None else "",
                incident.channel,
                incident.point.code if incident.point is not None else "",
                _text(incident.cause),
                _text(incident.outcome),
                incident.started_by.username if incident.started_by is not None else incident.job,
                incident.ended_by.username if incident.ended_by is not None else _job_that_ended(incident),
            )
        )


def _job_that_ended(incident: Incident) -> str:
    return incident.job if incident.ended_at is not None else ""


def _line(cells: tuple[str, ...]) -> str:
    buffer = StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()


def _instant(at: datetime | None) -> str:
    return at.isoformat().replace("+00:00", "Z") if at is not None else ""


def _text(written: str) -> str:
    """Keep a spreadsheet from taking what somebody wrote for a formula."""
    return f"'{written}" if written[:1] in ("=", "+", "-", "@", "\t", "\r") else written
