"""What must always be true of transfers against the ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping

_SUSPENSE_IS_RECEIPTS = """
SELECT 'receipts of ' || r.total || ' wait, ' || l.total || ' in suspense'
FROM (SELECT COALESCE(sum(open_amount), 0) AS total FROM accounts_receipt) r,
     (SELECT COALESCE(sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END), 0) AS total
      FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
      WHERE a.kind = 'bank_suspense') l
WHERE r.total <> l.total
"""

# A line that may be known in another format is out of the books until two people say that it is not.
_BOOKED = """
l.is_credit AND (l.resembles_id IS NULL OR EXISTS (
  SELECT FROM accounts_banklinedecision k JOIN accounts_banklineproposal q ON q.id = k.proposal_id
  WHERE q.line_id = l.id AND NOT q.same))
"""

_RECEIPTS_ARE_LINES = f"""
SELECT 'bank line ' || l.id || ' of ' || l.amount || ': ' || COALESCE(r.open_amount || ' waits', 'no receipt')
       || ', ' || COALESCE(p.placed, 0) || ' placed'
FROM accounts_bankline l
LEFT JOIN accounts_receipt r ON r.line_id = l.id
LEFT JOIN (SELECT receipt_id, sum(amount) AS placed FROM accounts_placement GROUP BY receipt_id) p
  ON p.receipt_id = l.id
WHERE CASE WHEN {_BOOKED} THEN r.open_amount + COALESCE(p.placed, 0) IS DISTINCT FROM l.amount
           ELSE r.line_id IS NOT NULL END
ORDER BY l.id
"""

_CREDITS_ARE_ENTRIES = f"""
SELECT COALESCE('bank line ' || l.id || ' of ' || l.amount, 'no bank line') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT * FROM accounts_bankline l WHERE {_BOOKED} AND part_of_id IS NULL) l
FULL JOIN (SELECT t.key, n.amount FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.kind = 'bank_receipt') e ON e.key = 'receipt:' || l.id
WHERE l.amount IS DISTINCT FROM e.amount
ORDER BY 1
"""

_REGISTERS_ARE_LINES = """
SELECT 'bank line ' || l.id || ' of ' || l.amount || ': ' || COALESCE(p.placed, 0) || ' told in a register, '
       || COALESCE(m.total, 0) || ' in ' || COALESCE(m.parts, 0) || ' remittances of ' || COALESCE(g.remittances, 0)
FROM accounts_bankline l
LEFT JOIN accounts_postalregister g ON g.line_id = l.id
LEFT JOIN (SELECT receipt_id, sum(amount) AS placed FROM accounts_placement WHERE outcome = 'register'
           GROUP BY receipt_id) p ON p.receipt_id = l.id
LEFT JOIN (SELECT part_of_id, sum(amount) AS total, count(*) AS parts FROM accounts_bankline
           WHERE part_of_id IS NOT NULL GROUP BY part_of_id) m ON m.part_of_id = l.id
WHERE (g.id IS NOT NULL OR p.receipt_id IS NOT NULL OR m.part_of_id IS NOT NULL)
  AND (l.amount, l.amount, g.remittances) IS DISTINCT FROM (p.placed, m.total, m.parts)
ORDER BY l.id
"""

PROOFS: Mapping[str, str] = {
    "what waits in suspense is what receipts have open": _SUSPENSE_IS_RECEIPTS,
    "every transfer received waits or was placed, to the kopeck": _RECEIPTS_ARE_LINES,
    "every credited line of a statement is an entry, every such entry a line": _CREDITS_ARE_ENTRIES,
    "every line that the post's register tells part by part is the sum of its remittances": _REGISTERS_ARE_LINES,
}
"""By the name that is told when one does not hold."""
