"""All that bets are judged by, in one statement: each more would cost a bet a way to the database and back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.queries.standing import STANDING_COLUMNS, Standing, read_standing, standing_sql
from pools.queries.incidents import PAUSED
from totalizator.core.clock import NOW_SQL
from totalizator.core.columns import array
from totalizator.core.prepared import rows_of

# The instant is read once, and everything is judged at it.
_FACTS = f"""
WITH n AS MATERIALIZED (SELECT {NOW_SQL} AS at)
SELECT p.state, m.at, ({PAUSED}), a.fingerprint, a.answer, l.credits - l.debits, w.person, s.*
FROM n
CROSS JOIN LATERAL (SELECT n.at, (n.at AT TIME ZONE 'Europe/Minsk')::date AS day) AS m
JOIN pools_pool p ON p.id = %(pool)s
CROSS JOIN unnest(%(persons)s::bigint[], %(accounts)s::bigint[], %(scopes)s::text[], %(keys)s::bytea[])
    WITH ORDINALITY AS w (person, account, scope, key, nth)
JOIN accounts_ledgeraccount l ON l.id = w.account
LEFT JOIN core_replayedanswer a ON a.scope = w.scope AND a.key_digest = w.key
LEFT JOIN LATERAL ({standing_sql(person="w.person", at="m.at", day="m.day")}) AS s ({STANDING_COLUMNS}) ON true
ORDER BY w.nth
"""


@dataclass(frozen=True, slots=True)
class Bettor:
    """Of whom it is asked: who plays, where that is known, the account that pays, and the key of the request."""

    person_id: int | None
    account_id: int
    scope: str
    key_digest: bytes


@dataclass(frozen=True, slots=True)
class Facts:
    """How things stand at the instant `now`. `first_ticket`: what the same key was answered with before."""

    state: str
    now: datetime
    paused_since: datetime | None
    first_fingerprint: bytes | None
    first_ticket: str | None
    funds: int | None
    """What the account holds, in kopecks, where it keeps count of that."""
    standing: Standing | None


def facts_of_bets(
    *, pool_id: int, channel: str, point_id: int | None, rules_version: str, bettors: Sequence[Bettor]
) -> Iterable[Facts]:
    """Return what each bet is judged by; call it after `hold_for_bet`, without which nothing of it need still hold."""
    asked: dict[str, Any] = {
        "pool": pool_id,
        "channel": channel,
        "point": point_id,
        "rules": rules_version,
        "persons": array("bigint", [bettor.person_id for bettor in bettors]),
        "accounts": array("bigint", [bettor.account_id for bettor in bettors]),
        "scopes": array("text", [bettor.scope for bettor in bettors]),
        "keys": array("bytea", [bettor.key_digest for bettor in bettors]),
    }
    return (_facts(*row) for row in rows_of(_FACTS, asked))


def _facts(
    state: str,
    now: datetime,
    paused_since: datetime | None,
    fingerprint: bytes | None,
    ticket: str | None,
    funds: int | None,
    person_id: int | None,
    *standing: Any,
) -> Facts:
    return Facts(
        state,
        now,
        paused_since,
        bytes(fingerprint) if fingerprint is not None else None,
        ticket,
        funds,
        read_standing(standing) if person_id is not None else None,
    )
