"""All that a bet is judged by, in one statement: each more would cost a bet a way to the database and back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.queries.standing import STANDING_COLUMNS, Standing, read_standing, standing_sql
from pools.queries.incidents import PAUSED
from totalizator.core.clock import NOW_SQL
from totalizator.core.prepared import prepared_cursor

# The instant is read once, and everything is judged at it.
_FACTS = f"""
SELECT p.state, m.at, ({PAUSED}), a.fingerprint, a.answer, s.*
FROM (SELECT {NOW_SQL} AS at) AS n
CROSS JOIN LATERAL (SELECT n.at, (n.at AT TIME ZONE 'Europe/Minsk')::date AS day) AS m
JOIN pools_pool p ON p.id = %(pool)s
LEFT JOIN core_replayedanswer a ON a.scope = %(scope)s AND a.key_digest = %(key)s
LEFT JOIN LATERAL ({standing_sql(at="m.at", day="m.day")}) AS s ({STANDING_COLUMNS}) ON true
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """How things stand at the instant `now`. `first_ticket`: what the same key was answered with before."""

    state: str
    now: datetime
    paused_since: datetime | None
    first_fingerprint: bytes | None
    first_ticket: str | None
    standing: Standing | None


def facts_of_bet(
    *,
    pool_id: int,
    channel: str,
    point_id: int | None,
    person_id: int | None,
    rules_version: str,
    scope: str,
    key_digest: bytes,
) -> Facts:
    """Return what a bet is judged by; call it after `hold_for_bet`, without which nothing of it need still hold."""
    asked: dict[str, Any] = {
        "pool": pool_id,
        "channel": channel,
        "point": point_id,
        "person": person_id,
        "rules": rules_version,
        "scope": scope,
        "key": key_digest,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_FACTS, asked)
        state, now, paused_since, fingerprint, ticket, *standing = cursor.fetchone()
    return Facts(
        state,
        now,
        paused_since,
        bytes(fingerprint) if fingerprint is not None else None,
        ticket,
        read_standing(standing) if person_id is not None else None,
    )
