"""What a bare database and a bare Python do with a pool's bets: the least that settling and proving it can cost."""

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from django.db import connection, transaction

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from bench.game import CONDITIONS, SHARES, SIGNS
from pools.models import Pool

_RIGHT = ("1" + "0" * (len(SIGNS) - 1)) * CONDITIONS
_MATCHES = "bit_count(bits & %(right)s::varbit)"

_TALLY = f"SELECT {_MATCHES}, lines, count(*), sum(stake) FROM pools_bet WHERE pool_id = %(pool)s GROUP BY 1, 2"
_WINNERS = f"""
INSERT INTO pools_winning (pool_id, ticket, level, lines, amount)
SELECT pool_id, ticket, {_MATCHES}::text, 1, 100 FROM pools_bet WHERE pool_id = %(pool)s AND {_MATCHES} >= %(least)s
"""
_MONEY = (
    """
INSERT INTO accounts_transfer (book, key, kind, occurred_at, cause)
SELECT pool_id, 'plain:' || ticket, 'payout', clock_timestamp(), 'bet:' || ticket FROM pools_winning
WHERE pool_id = %(pool)s
""",
    """
INSERT INTO accounts_entry (book, key, line, debit_id, credit_id, amount)
SELECT b.pool_id, 'plain:' || b.ticket, 0, %(due)s, b.paid_from_id, w.amount
FROM pools_winning w JOIN pools_bet b USING (pool_id, ticket) WHERE w.pool_id = %(pool)s
""",
    """
UPDATE accounts_ledgeraccount a SET credits = a.credits + paid.amount
FROM (SELECT b.paid_from_id AS id, sum(w.amount)::bigint AS amount
      FROM pools_winning w JOIN pools_bet b USING (pool_id, ticket) WHERE w.pool_id = %(pool)s GROUP BY 1) AS paid
WHERE a.id = paid.id
""",
)

# Read, hash leaves and nodes, parse and count: what nobody who proves a pool from its bets.csv is spared.
_READER = """
import sys
from hashlib import sha256
peaks, counts, right = [], {}, ["1"] * 15
with open(sys.argv[1], "rb") as bets:
    next(bets)
    for count, line in enumerate(bets):
        line = line[:-1]
        node = sha256(b"\\0" + line).digest()
        while count & 1:
            node = sha256(b"\\1" + peaks.pop() + node).digest()
            count >>= 1
        peaks.append(node)
        marks = line.decode().split(",")[2].split(";")
        matches = 0
        for mark, one in zip(marks, right):
            if one in mark.split("+"):
                matches += 1
        counts[matches] = counts.get(matches, 0) + 1
print(sum(counts.values()))
"""
_HASHER = """
import sys, time
from hashlib import sha256
with open(sys.argv[1], "rb") as bets:
    lines = bets.read().splitlines()
started = time.perf_counter()
for line in lines:
    sha256(b"\\0" + line).digest()
print(time.perf_counter() - started)
"""


def settling_in_plain_sql(pool: Pool, *, money: bool) -> float:
    """Count, write a row for each winning bet and, with `money`, pay each: seconds; then undo it."""
    filled: dict[str, Any] = {
        "pool": pool.pk,
        "right": _RIGHT,
        "least": min(SHARES),
        "due": ledger_account(AccountKind.WINNINGS_DUE, pool.code).pk,
    }
    took = 0.0
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in (_TALLY, _WINNERS, *(_MONEY if money else ())):
            started = perf_counter()
            cursor.execute(statement, filled)
            took += perf_counter() - started
            # Each entry looks its transfer up by a plan that the session may have kept from when there were few.
            cursor.execute("ANALYZE accounts_transfer")
        transaction.set_rollback(True)
    return took


def hashing_one_by_one(bets: Path) -> float:
    """Hash every line of a bets.csv with sha256, in a Python of its own: seconds, without reading it."""
    return float(_said(_HASHER, bets))


def reading_and_counting(bets: Path) -> float:
    """Hash leaves and nodes, parse, and count matches, in a Python of its own: seconds."""
    started = perf_counter()
    assert int(_said(_READER, bets)) > 0
    return perf_counter() - started


def _said(program: str, bets: Path) -> str:
    command = [sys.executable, "-c", program, str(bets)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
