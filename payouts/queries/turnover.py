"""What was staked hour by hour of a legal day (N1)."""

from collections.abc import Sequence
from datetime import date

from django.core.cache import caches
from django.db import connection

from totalizator.engine.deadlines import end_of_legal_day, start_of_legal_day

FRESH_SECONDS = 60
_BY_HOUR = """
SELECT extract(epoch FROM registered_at - %(since)s)::bigint / 3600, sum(stake)::bigint FROM pools_bet
WHERE registered_at >= %(since)s AND registered_at < %(until)s GROUP BY 1
"""


def turnover_by_hour(day: date) -> Sequence[tuple[int, int]]:
    """Return (hour, kopecks) for every hour of a legal day, counted at most once a minute in each process."""
    cache, key = caches["process"], f"turnover-by-hour:{day.isoformat()}"
    known: Sequence[tuple[int, int]] | None = cache.get(key)
    if known is None:
        with connection.cursor() as cursor:
            cursor.execute(_BY_HOUR, {"since": start_of_legal_day(day), "until": end_of_legal_day(day)})
            staked = {int(hour): int(amount) for hour, amount in cursor.fetchall()}
        known = [(hour, staked.get(hour, 0)) for hour in range(24)]
        cache.set(key, known, FRESH_SECONDS)
    return known
