"""Winnings as rows: what every winning bet won, written by one INSERT … SELECT and read back as winnings.csv."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from django.db import connection
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from pools.models import Computed, CorrectedWinning, Correction, Pool, Winning
from pools.queries.tally import Winners
from pools.queries.winning_lines import MATCHES_SQL, MAY_WIN_SQL, SIGNATURE_SQL, WHOLE_POOL, Span
from totalizator.core.copying import copy_out
from totalizator.engine.statement import LevelStatement, Statement

Rows = type[Winning] | type[CorrectedWinning]

# What one bet wins on a level: its winning lines times the dividend, or its winning stake times the coefficient, cut
# to the kopeck (D-6). `numeric` is exact, and `div` cuts; a bigint could not hold stake times fund.
_AMOUNT_SQL = "div({shares}::numeric * winner.numerator, winner.denominator)::bigint"

# The bets are read once: what may win is kept aside, and only of that is asked what it wins.
_INSERT_SQL = f"""
WITH may_win AS MATERIALIZED (
    SELECT b.ticket, b.stake, b.lines, b.bits, {MATCHES_SQL} AS matches FROM pools_bet b WHERE {MAY_WIN_SQL}{{span}}
)
INSERT INTO {{table}} (pool_id, ticket, level, lines, amount)
SELECT %(pool)s, winner.ticket, winner.level, winner.lines, {{amount}}
FROM (
    SELECT b.ticket, won.level, 1::bigint AS lines, b.stake AS winning_stake, won.numerator, won.denominator
    FROM may_win b
    JOIN unnest(%(matches)s::int[], %(single_levels)s::text[], %(single_numerators)s::numeric[],
                %(single_denominators)s::numeric[])
        AS won (matches, level, numerator, denominator) ON won.matches = b.matches
    WHERE b.lines = 1
    UNION ALL
    SELECT b.ticket, won.level, won.lines, b.stake / b.lines * won.lines, won.numerator, won.denominator
    FROM (SELECT b.ticket, b.stake, b.lines, {SIGNATURE_SQL} AS signature
          FROM may_win b WHERE b.lines > 1) AS b
    JOIN unnest(%(signatures)s::text[], %(system_levels)s::text[], %(system_lines)s::bigint[],
                %(system_numerators)s::numeric[], %(system_denominators)s::numeric[])
        AS won (signature, level, lines, numerator, denominator) ON won.signature::bigint[] = b.signature
) AS winner
"""


def rows_of(computed: Computed) -> Rows:
    """Return where the winnings of a settlement, or of its correction, are written."""
    return CorrectedWinning if isinstance(computed, Correction) else Winning


def insert_winnings(
    pool: Pool, winners: Winners, statement: Statement, rows: Rows = Winning, span: Span = WHOLE_POOL
) -> int:
    """Write a row for every bet on every live level and return how many; a returned pool has none."""
    if statement.returned:
        return 0
    rates = {level.code: _rate(level) for level in statement.levels if level.live}
    shares = "winner.lines" if pool.terms.by_lines else "winner.winning_stake"
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT_SQL.format(table=rows._meta.db_table, amount=_AMOUNT_SQL.format(shares=shares), span=span.sql),
            {
                **winners.filled,
                **span.values,
                **_what_singles_win(winners, rates),
                **_what_systems_win(winners, rates),
            },
        )
        return int(cursor.rowcount)


def _what_singles_win(winners: Winners, rates: Mapping[str, Fraction]) -> dict[str, list[Any]]:
    """Return columns: matches, and what a single line with so many wins."""
    rows = [(matches, level) for matches, level in winners.singles.items() if level in rates]
    return {
        "matches": [matches for matches, _level in rows],
        "single_levels": [level for _matches, level in rows],
        "single_numerators": [str(rates[level].numerator) for _matches, level in rows],
        "single_denominators": [str(rates[level].denominator) for _matches, level in rows],
    }


def _what_systems_win(winners: Winners, rates: Mapping[str, Fraction]) -> dict[str, list[Any]]:
    """Return columns: signature as the text of an array, and what a system bet with it wins, a row for each level."""
    rows = [
        ("{" + ",".join(map(str, signature)) + "}", level, lines)
        for signature, levels in winners.systems.items()
        for level, lines in levels
        if level in rates
    ]
    return {
        "signatures": [signature for signature, _level, _lines in rows],
        "system_levels": [level for _signature, level, _lines in rows],
        "system_lines": [lines for _signature, _level, lines in rows],
        "system_numerators": [str(rates[level].numerator) for _signature, level, _lines in rows],
        "system_denominators": [str(rates[level].denominator) for _signature, level, _lines in rows],
    }


def sums_of_levels(pool: Pool, rows: Rows = Winning) -> dict[str, tuple[int, int]]:
    """Return (lines, amount) of the written rows by level."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT level, sum(lines)::bigint, sum(amount)::bigint FROM {rows._meta.db_table}"
            " WHERE pool_id = %s GROUP BY level",
            [pool.pk],
        )
        return {level: (lines, amount) for level, lines, amount in cursor.fetchall()}


def rows_and_sum(pool: Pool, rows: Rows = Winning) -> tuple[int, int]:
    """Return how many rows there are, and their sum in kopecks."""
    found = rows.objects.filter(pool=pool).aggregate(rows=Count("*"), total=Coalesce(Sum("amount"), 0))
    return found["rows"], int(found["total"])


def winnings_csv(pool: Pool, rows: Rows = Winning) -> Iterator[bytes]:
    """Yield winnings.csv in parts: tickets by their bytes, a bet's rows from the highest level down."""
    yield b"ticket,level,lines,amount\n"
    levels = [level.code for level in pool.terms.levels]
    yield from copy_out(_COPY_SQL.format(table=rows._meta.db_table), [levels, pool.pk])


_COPY_SQL = """
COPY (SELECT ticket, level, lines, amount FROM {table}
      JOIN unnest(%s::text[]) WITH ORDINALITY AS announced (code, place) ON announced.code = level
      WHERE pool_id = %s ORDER BY ticket COLLATE "C", announced.place)
TO STDOUT (FORMAT csv)
"""


def _rate(level: LevelStatement) -> Fraction:
    """Return what a line (¶11.2, ¶11.3) or a kopeck of stake (¶36) wins on a live level."""
    return Fraction(level.dividend or 0) if level.coefficient is None else level.coefficient
