"""What a person staked and lost in a time, over every channel in which the person was known (P1, X15)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from accounts.models import Person
from pools.models import Pool

_THEIRS = "(b.player_id = %(player)s OR b.person_id = %(person)s)"

# A bet loses what it has not brought back, and no more than its stake: a large winning does not pay for other bets'
# losses, and so no loss ever grows when a winning leaves the window. A bet not settled yet counts as lost, and one of a
# corrected pool has won what the correction says (H5). What a pool says of all its bets is read once for each pool.
_CAME = f"""
WITH theirs AS MATERIALIZED (
    SELECT b.pool_id, b.ticket, b.stake, b.registered_at FROM pools_bet b
    WHERE {_THEIRS} AND b.registered_at > %(earliest)s
), told AS MATERIALIZED (
    SELECT p.id, s.pool_id IS NOT NULL AS settled, k.pool_id IS NOT NULL AS corrected,
           COALESCE(k.tally_text, s.tally_text)::jsonb ->> 'returned' AS returned,
           COALESCE(k.statement_text, s.statement_text)::jsonb AS statement
    FROM pools_pool p
    LEFT JOIN pools_settlement s ON s.pool_id = p.id AND s.state = 'official'
    LEFT JOIN pools_correction k ON k.pool_id = p.id AND k.state = 'official'
    WHERE p.id IN (SELECT pool_id FROM theirs) AND p.state <> 'cancelled'
), pools AS MATERIALIZED (
    SELECT id, settled, corrected, statement -> 'late' AS late, statement -> 'cancelled' AS cancelled
    FROM told WHERE NOT COALESCE(returned::boolean, false)
), came AS MATERIALIZED (
    SELECT b.registered_at, b.stake, COALESCE(won.amount, 0) AS won
    FROM theirs b JOIN pools p ON p.id = b.pool_id
    LEFT JOIN LATERAL (
        SELECT sum(w.amount) AS amount FROM (
            SELECT amount FROM pools_winning
            WHERE p.settled AND NOT p.corrected AND pool_id = b.pool_id AND ticket = b.ticket
            UNION ALL
            SELECT amount FROM pools_correctedwinning
            WHERE p.corrected AND pool_id = b.pool_id AND ticket = b.ticket
        ) w
    ) AS won ON true
    WHERE NOT COALESCE(p.late ? b.ticket, false) AND NOT COALESCE(p.cancelled ? b.ticket, false)
)
"""
_SUMMED = """
SELECT COALESCE(sum({what}), 0)::bigint
FROM unnest(%(instants)s::timestamptz[]) WITH ORDINALITY AS w (since, number)
LEFT JOIN {bets} ON b.registered_at > w.since
GROUP BY w.number ORDER BY w.number
"""
_LOST = _CAME + _SUMMED.format(what="greatest(b.stake - b.won, 0)", bets="came b")
# A large winning pays for other bets' losses, too.
_NET = _CAME + _SUMMED.format(what="b.won - b.stake", bets="came b")
_STAKED = f"""
WITH theirs AS MATERIALIZED (
    SELECT b.stake, b.registered_at FROM pools_bet b WHERE {_THEIRS} AND b.registered_at > %(earliest)s
)
""" + _SUMMED.format(what="b.stake", bets="theirs b")
_STAKED_IN = f"SELECT COALESCE(sum(b.stake), 0)::bigint FROM pools_bet b WHERE {_THEIRS} AND b.pool_id = %(pool)s"


def staked_since(person: Person, *instants: datetime) -> list[int]:
    """Return the kopecks that the person staked after each of the instants, also what was returned later."""
    return _sums(_STAKED, person, instants)


def lost_since(person: Person, *instants: datetime) -> list[int]:
    """Return the kopecks that the bets made after each of the instants have lost, as far as is known.

    What is returned is not lost.
    """
    return _sums(_LOST, person, instants)


def won_less_staked(person: Person, *instants: datetime) -> list[int]:
    """Return what the bets made after each of the instants have won, less their stakes, as far as is known.

    Below zero: a loss.
    """
    return _sums(_NET, person, instants)


def staked_in_pool(person: Person, pool: Pool) -> int:
    """Return the kopecks that the person staked in a pool."""
    with connection.cursor() as cursor:
        cursor.execute(_STAKED_IN, {"player": person.player_id, "person": person.pk, "pool": pool.pk})
        (total,) = cursor.fetchone()
    return int(total)


def _sums(statement: str, person: Person, instants: Sequence[datetime]) -> list[int]:
    asked = {
        "player": person.player_id,
        "person": person.pk,
        "earliest": min(instants),
        "instants": list(instants),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return [int(total) for (total,) in cursor.fetchall()]
