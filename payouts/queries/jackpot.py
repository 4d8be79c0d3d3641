"""A jackpot's balance, its history pool by pool, and whether it was drawn this year (J1, ¶16, ¶37)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from django.core.cache import caches
from django.db import connection

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from pools.models import Settlement, SettlementState, jackpot_owner
from totalizator.engine.canonical import parse_json
from totalizator.engine.deadlines import start_of_legal_day

JACKPOTS = ("sportloto", "totolot")
FRESH_SECONDS = 60
MOST_KEPT = 60


@dataclass(frozen=True, slots=True)
class JackpotMove:
    """What one pool (or the organizer: no pool) did to the jackpot at one time; kopecks.

    `parts` has the sum of each kind of transfer: what came in above zero, what was drawn below.
    """

    pool: str
    at: datetime
    opening: int
    parts: Mapping[str, int]
    closing: int

    @property
    def came_in(self) -> int:
        """Everything that was put in."""
        return sum(amount for amount in self.parts.values() if amount > 0)

    @property
    def went_out(self) -> int:
        """What was taken out, above zero: opening + came_in - went_out = closing."""
        return -sum(amount for amount in self.parts.values() if amount < 0)


_AMOUNTS = """
SELECT a.owner, (SELECT COALESCE(sum(e.amount), 0) FROM accounts_entry e WHERE e.credit_id = a.id)
              - (SELECT COALESCE(sum(e.amount), 0) FROM accounts_entry e WHERE e.debit_id = a.id)
FROM accounts_ledgeraccount a WHERE a.kind = %s
"""
_MOMENTS = """
SELECT book, at, sum(change) OVER (ORDER BY at, book)::bigint FROM (
    SELECT t.occurred_at AS at, t.book, sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END) AS change
    FROM accounts_ledgeraccount a
    JOIN accounts_entry e ON e.credit_id = a.id OR e.debit_id = a.id
    JOIN accounts_transfer t USING (book, key)
    WHERE a.kind = %s AND a.owner = %s GROUP BY t.occurred_at, t.book
) moves ORDER BY at, book
"""
_MOVES = """
SELECT t.book, COALESCE(p.code, ''), t.occurred_at, t.kind,
       sum(e.amount * CASE WHEN e.credit_id = %(jackpot)s THEN 1 ELSE -1 END)::bigint
FROM accounts_entry e JOIN accounts_transfer t USING (book, key) LEFT JOIN pools_pool p ON p.id = t.book
WHERE e.credit_id = %(jackpot)s OR e.debit_id = %(jackpot)s
GROUP BY t.book, p.code, t.occurred_at, t.kind ORDER BY t.occurred_at, t.book, t.kind
"""


def jackpot_balance(game: str) -> int:
    """Return what the jackpot of a game (or of `sportloto`, `totolot`) holds now, in kopecks."""
    return balance(ledger_account(AccountKind.JACKPOT, jackpot_owner(game)))


def jackpot_amounts() -> dict[str, int]:
    """Return what each jackpot holds now, in kopecks, all in one question that opens no account."""
    with connection.cursor() as cursor:
        cursor.execute(_AMOUNTS, [AccountKind.JACKPOT])
        return dict.fromkeys(JACKPOTS, 0) | {owner: int(amount) for owner, amount in cursor.fetchall()}


def jackpot_history(game: str) -> list[JackpotMove]:
    """Return the jackpot's moves from the oldest; each opens with what the one before closed with (J1).

    Moves of one pool that follow one another are one.
    """
    with connection.cursor() as cursor:
        cursor.execute(_MOVES, {"jackpot": ledger_account(AccountKind.JACKPOT, jackpot_owner(game)).pk})
        rows = cursor.fetchall()
    history: list[JackpotMove] = []
    running = 0
    for (_book, code), grouped in groupby(rows, key=lambda row: row[:2]):
        moves = list(grouped)
        parts: dict[str, int] = {}
        for _, _, _at, kind, amount in moves:
            parts[kind] = parts.get(kind, 0) + amount
        opening, running = running, running + sum(parts.values())
        history.append(JackpotMove(code, moves[-1][2], opening, parts, running))
    return history


def jackpot_moments(game: str) -> list[tuple[datetime, int]]:
    """Return when the jackpot last moved and what it held then, from the oldest of 60; read once a minute a process."""
    cache, key = caches["process"], f"jackpot-moments:{jackpot_owner(game)}"
    known: list[tuple[datetime, int]] | None = cache.get(key)
    if known is None:
        with connection.cursor() as cursor:
            cursor.execute(_MOMENTS, [AccountKind.JACKPOT, jackpot_owner(game)])
            by_pool = groupby(cursor.fetchall(), key=lambda row: row[0])  # moves of one that follow one another are one
            known = [(at, int(held)) for _book, moves in by_pool for _, at, held in list(moves)[-1:]][-MOST_KEPT:]
        cache.set(key, known, FRESH_SECONDS)
    return known


def jackpot_undrawn_this_year(game: str, *, on: date) -> bool:
    """Tell whether no pool has drawn this jackpot in the calendar year of the legal day `on`.

    A pool that nobody won was drawn all the same; one whose stakes were returned was not.
    """
    official = Settlement.objects.filter(
        state=SettlementState.OFFICIAL,
        pool__draws_jackpot=True,
        pool__game__startswith=jackpot_owner(game) + "-",
        official_at__gte=start_of_legal_day(date(on.year, 1, 1)),
        official_at__lt=start_of_legal_day(date(on.year + 1, 1, 1)),
    )
    tallies = official.values_list("tally_text", flat=True)
    return all(parse_json(tally.encode(), where="tally.json").get("returned", False) for tally in tallies)
