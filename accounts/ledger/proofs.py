"""What must always be true of the ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

PLACES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class BrokenInvariant:
    """An invariant that does not hold, and where."""

    name: str
    where: str


_COUNTERS_EQUAL_ENTRIES = """
SELECT a.kind || ':' || a.owner || ' counters ' || a.debits || '/' || a.credits
       || ', entries ' || COALESCE(d.total, 0) || '/' || COALESCE(c.total, 0)
FROM accounts_ledgeraccount a
LEFT JOIN (SELECT debit_id, sum(amount) AS total FROM accounts_entry GROUP BY debit_id) d ON d.debit_id = a.id
LEFT JOIN (SELECT credit_id, sum(amount) AS total FROM accounts_entry GROUP BY credit_id) c ON c.credit_id = a.id
WHERE a.guarded AND (a.debits <> COALESCE(d.total, 0) OR a.credits <> COALESCE(c.total, 0))
ORDER BY a.id
"""

_TRANSFERS_HAVE_ENTRIES = """
SELECT t.book || '/' || t.key FROM accounts_transfer t
WHERE NOT EXISTS (SELECT FROM accounts_entry e WHERE e.book = t.book AND e.key = t.key)
ORDER BY t.book, t.key
"""

_NOTHING_OVERDRAWN = """
SELECT a.kind || ':' || a.owner || ' ' || COALESCE(c.total, 0) - COALESCE(d.total, 0)
FROM accounts_ledgeraccount a
LEFT JOIN (SELECT debit_id, sum(amount) AS total FROM accounts_entry GROUP BY debit_id) d ON d.debit_id = a.id
LEFT JOIN (SELECT credit_id, sum(amount) AS total FROM accounts_entry GROUP BY credit_id) c ON c.credit_id = a.id
WHERE a.kind IN ('pool_pot', 'winnings_due', 'refunds_due', 'jackpot', 'tax_due', 'takeout',
                 'withdrawals_due', 'orders_due', 'bank_suspense')
  AND COALESCE(c.total, 0) < COALESCE(d.total, 0)
ORDER BY a.id
"""

# Each entry of the one has its mirror in the other, line by line.
_REVERSALS_MIRROR = """
SELECT t.book || '/' || t.key FROM accounts_transfer t
WHERE t.reversal_of IS NOT NULL AND EXISTS (
    SELECT FROM (SELECT * FROM accounts_entry WHERE book = t.book AND key = t.key) r
    FULL JOIN (SELECT * FROM accounts_entry WHERE book = t.book AND key = t.reversal_of) o USING (line)
    WHERE (r.debit_id, r.credit_id, r.amount) IS DISTINCT FROM (o.credit_id, o.debit_id, o.amount))
ORDER BY t.book, t.key
"""

PROOFS: Mapping[str, str] = {
    "counters of guarded accounts equal the sums of their entries": _COUNTERS_EQUAL_ENTRIES,
    "every transfer has an entry": _TRANSFERS_HAVE_ENTRIES,
    "no pot, debt or jackpot is overdrawn": _NOTHING_OVERDRAWN,
    "a reversal mirrors what it reverses": _REVERSALS_MIRROR,
}


def broken_invariants(proofs: Mapping[str, str] = PROOFS) -> list[BrokenInvariant]:
    """Run each proof; return what it lists, at most ten places a proof."""
    broken = []
    with connection.cursor() as cursor:
        for name, sql in proofs.items():
            cursor.execute(sql)
            broken += [BrokenInvariant(name, str(where)) for (where,) in cursor.fetchmany(PLACES_SHOWN)]
    return broken
