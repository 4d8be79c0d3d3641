"""Which bets have winning lines, as SQL over all bets of a pool at once (¶11.3, ¶36.2, D-10).

A single line is known by its number of matches: `bit_count(bits & right)`. A system bet is known by its *signature*:
the (hits, misses) of its conditions, sorted. Bets with one signature have the same lines on the same levels, and there
are few signatures however many bets there are: the engine's polynomial counts each of them once.

No line of a bet matches more conditions than the bet has right marks. So `bit_count` alone tells of most bets, systems
too, that they win nothing, and only of the few others signatures are made.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from pools.models import Pool
from pools.queries.right_bits import ResultBits

# One number per condition, so that PostgreSQL sorts them fast: hits above, misses below.
HITS = 65_536

Signature = tuple[int, ...]

MATCHES_SQL = "bit_count(b.bits & %(right)s::varbit)"

SIGNATURE_SQL = f"""(
    SELECT array_agg(pair ORDER BY pair)
    FROM (SELECT bit_count(b.bits & c.right_bits) * {HITS} + bit_count(b.bits & c.wrong_bits) AS pair
          FROM unnest(%(right_of)s::varbit[], %(wrong_of)s::varbit[]) AS c (right_bits, wrong_bits)) AS pairs
)"""

NOTHING_MATCHES_SO_MUCH = HITS
"""The least number of matches that wins where none does."""

# A late bet is void, winning or losing (D-16); so is one that was cancelled before the settlement (¶29).
IN_TIME_SQL = "b.pool_id = %(pool)s AND b.registered_at < %(first_start)s AND b.ticket <> ALL(%(cancelled)s::text[])"

# Of single lines these are all that win; of systems all that win are among these.
MAY_WIN_SQL = f"""{IN_TIME_SQL} AND {MATCHES_SQL} >= %(least)s
AND (b.lines > 1 OR {MATCHES_SQL} = ANY(%(winning)s::int[]))"""


@dataclass(frozen=True, slots=True)
class Span:
    """The bets of a pool that were registered in a span of time; all of them when both ends are open.

    Rows lie in the order of time, so that the bets of a span are found together.
    """

    since: datetime | None = None
    before: datetime | None = None

    @property
    def sql(self) -> str:
        """The conditions to be added to those on `pools_bet b`."""
        since = "" if self.since is None else " AND b.registered_at >= %(since)s"
        return since if self.before is None else f"{since} AND b.registered_at < %(before)s"

    @property
    def values(self) -> dict[str, datetime | None]:
        """What they are filled with."""
        return {"since": self.since, "before": self.before}


WHOLE_POOL = Span()


def pairs_of(signature: Signature) -> list[tuple[int, int]]:
    """Return the (hits, misses) of a signature's conditions."""
    return [divmod(pair, HITS) for pair in signature]


def parameters(
    pool: Pool, bits: ResultBits, first_start: str, cancelled: Sequence[str], winning: Collection[int]
) -> dict[str, Any]:
    """Return what the SQL of this module is filled with; `winning`: the numbers of matches that are on a level."""
    return {
        "pool": pool.pk,
        "first_start": first_start,
        "cancelled": list(cancelled),
        "right": bits.right,
        "right_of": list(bits.right_of),
        "wrong_of": list(bits.wrong_of),
        "winning": sorted(winning),
        "least": min(winning, default=NOTHING_MATCHES_SO_MUCH),
    }


def winning_groups(
    filled: Mapping[str, Any], span: Span = WHOLE_POOL
) -> Iterator[tuple[int | None, Signature | None, int, int]]:
    """Yield (matches, no signature, stake, bets) of the single lines that win, and (no matches, signature, stake of a
    line, bets) of the systems that may win: all bets in one pass."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT CASE WHEN b.lines = 1 THEN {MATCHES_SQL} END, CASE WHEN b.lines > 1 THEN {SIGNATURE_SQL} END,"
            f" b.stake / b.lines, count(*) FROM pools_bet b WHERE {MAY_WIN_SQL}{span.sql} GROUP BY 1, 2, 3",
            {**filled, **span.values},
        )
        for matches, signature, line_stake, bets in cursor.fetchall():
            yield matches, None if signature is None else tuple(signature), line_stake, bets
