"""What a person staked and lost in a time, over every channel in which the person was known (P1, X15)."""

from datetime import datetime

from django.db import connection

from accounts.models import Person
from pools.models import Pool

_THEIRS = "(b.player_id = %(player)s OR b.person_id = %(person)s)"
_BETS = f"{_THEIRS} AND b.registered_at > %(since)s"

# A bet loses what it has not brought back, and no more than its stake: a large winning does not pay for other bets'
# losses, and so no loss ever grows when a winning leaves the window. A bet not settled yet counts as lost, and one of a
# corrected pool has won what the correction says (H5).
_LOST = f"""
SELECT COALESCE(sum(greatest(b.stake - COALESCE(won.amount, 0), 0)), 0)::bigint
FROM pools_bet b
JOIN pools_pool p ON p.id = b.pool_id
LEFT JOIN pools_settlement s ON s.pool_id = b.pool_id AND s.state = 'official'
LEFT JOIN pools_correction k ON k.pool_id = b.pool_id AND k.state = 'official'
CROSS JOIN LATERAL (
    SELECT COALESCE(k.tally_text, s.tally_text)::jsonb AS tally,
           COALESCE(k.statement_text, s.statement_text)::jsonb AS statement
) AS in_force
LEFT JOIN LATERAL (
    SELECT sum(w.amount) AS amount FROM (
        SELECT amount FROM pools_winning
        WHERE s.pool_id IS NOT NULL AND k.pool_id IS NULL AND pool_id = b.pool_id AND ticket = b.ticket
        UNION ALL
        SELECT amount FROM pools_correctedwinning
        WHERE k.pool_id IS NOT NULL AND pool_id = b.pool_id AND ticket = b.ticket
    ) w
) AS won ON true
WHERE {_BETS} AND p.state <> 'cancelled'
  AND NOT COALESCE((in_force.tally ->> 'returned')::boolean, false)
  AND NOT COALESCE(in_force.statement -> 'late' ? b.ticket, false)
  AND NOT COALESCE(in_force.statement -> 'cancelled' ? b.ticket, false)
"""
_STAKED = f"SELECT COALESCE(sum(b.stake), 0)::bigint FROM pools_bet b WHERE {_BETS}"

# As _LOST, but a large winning pays for other bets' losses too.
_NET = _LOST.replace("greatest(b.stake - COALESCE(won.amount, 0), 0)", "COALESCE(won.amount, 0) - b.stake")

_STAKED_IN = f"SELECT COALESCE(sum(b.stake), 0)::bigint FROM pools_bet b WHERE {_THEIRS} AND b.pool_id = %(pool)s"


def staked_since(person: Person, since: datetime) -> int:
    """Return the kopecks that the person staked after the instant `since`, also what was returned later."""
    return _sum(_STAKED, person, since=since)


def lost_since(person: Person, since: datetime) -> int:
    """Return the kopecks that the bets made after `since` have lost, as far as is known; what is returned is not."""
    return _sum(_LOST, person, since=since)


def won_less_staked(person: Person, since: datetime) -> int:
    """Return what the bets made after `since` have won, less their stakes, as far as is known; below zero: a loss."""
    return _sum(_NET, person, since=since)


def staked_in_pool(person: Person, pool: Pool) -> int:
    """Return the kopecks that the person staked in a pool."""
    return _sum(_STAKED_IN, person, pool=pool.pk)


def _sum(statement: str, person: Person, **bounds: int | datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"player": person.player_id, "person": person.pk, **bounds})
        (total,) = cursor.fetchone()
    return int(total)
