"""What must always be true of shifts and of cash on its way against the ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping

# The entries of each till and the counts at the ends of its shifts, in one order: the sum so far is what was there.
_COUNTS_ARE_HELD = """
SELECT 'shift ' || shift_id || ' counted ' || counted || ', ' || held || ' in the ledger'
FROM (
    SELECT shift_id, counted,
           sum(change) OVER (PARTITION BY account_id ORDER BY at, is_count ROWS UNBOUNDED PRECEDING) AS held
    FROM (
        SELECT a.id AS account_id, t.occurred_at AS at, 0 AS is_count,
               NULL::bigint AS shift_id, NULL::bigint AS counted,
               CASE WHEN e.debit_id = a.id THEN e.amount ELSE -e.amount END AS change
        FROM accounts_ledgeraccount a
        JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
        JOIN accounts_transfer t USING (book, key)
        WHERE a.kind = 'till'
        UNION ALL
        SELECT t.ledger_account_id, s.closed_at, 1, s.id, s.counted, 0
        FROM accounts_shift s JOIN accounts_till t ON t.id = s.till_id WHERE s.closed_at IS NOT NULL) m) r
WHERE shift_id IS NOT NULL AND held <> counted
ORDER BY shift_id
"""

_TRANSIT_IS_HANDOVERS = """
SELECT COALESCE('handover ' || h.number || ' of ' || h.amount, 'no handover on its way') || ', '
       || COALESCE(a.owner || ' of ' || a.balance, 'nothing') || ' in transit'
FROM (SELECT number, amount FROM accounts_handover WHERE state = 'announced') h
FULL JOIN (
    SELECT a.owner, sum(CASE WHEN e.debit_id = a.id THEN e.amount ELSE -e.amount END) AS balance
    FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
    WHERE a.kind = 'cash_in_transit' GROUP BY a.id
    HAVING sum(CASE WHEN e.debit_id = a.id THEN e.amount ELSE -e.amount END) <> 0) a
  ON a.owner = h.number::text
WHERE h.amount IS DISTINCT FROM a.balance
ORDER BY 1
"""

PROOFS: Mapping[str, str] = {
    "what a shift counted at its end was in its till": _COUNTS_ARE_HELD,
    "cash on its way is handovers that nobody has received": _TRANSIT_IS_HANDOVERS,
}
