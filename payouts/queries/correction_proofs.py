"""What must always be true of corrected settlements against tickets and ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping

# The difference of both settlements, winning by winning, beside what was noted of it.
_ROWS_ARE_DIFFERENCES = """
SELECT p.code || ' ' || COALESCE(c.ticket || ': ' || c.before || ' to ' || c.after, d.ticket || ': not corrected')
       || ', ' || COALESCE(d.before || ' to ' || d.after || ' by the settlements', 'the same by both settlements')
FROM (SELECT pool_id, ticket, before, after FROM payouts_correctedpayable WHERE kind = 'winning') c
FULL JOIN (
    SELECT g.pool_id, w.ticket, sum(w.before) AS before, sum(w.after) AS after
    FROM payouts_correctionbooking g JOIN (
        SELECT pool_id, ticket, amount AS before, 0 AS after FROM pools_winning
        UNION ALL SELECT pool_id, ticket, 0, amount FROM pools_correctedwinning) w USING (pool_id)
    GROUP BY g.pool_id, w.ticket HAVING sum(w.before) <> sum(w.after)) d USING (pool_id, ticket)
JOIN pools_pool p ON p.id = COALESCE(c.pool_id, d.pool_id)
WHERE (c.before, c.after) IS DISTINCT FROM (d.before, d.after)
  AND p.id NOT IN (SELECT pool_id FROM pools_poolarchive)
ORDER BY 1
"""

_SUMS = """
SELECT pool_id, COALESCE(sum(moved) FILTER (WHERE kind = 'winning' AND moved > 0), 0) AS winnings_added,
       COALESCE(-sum(moved) FILTER (WHERE kind = 'winning' AND moved < 0), 0) AS winnings_taken,
       COALESCE(sum(moved) FILTER (WHERE kind = 'refund' AND moved > 0), 0) AS refunds_added,
       COALESCE(-sum(moved) FILTER (WHERE kind = 'refund' AND moved < 0), 0) AS refunds_taken,
       COALESCE(sum(overpaid), 0) AS overpaid
FROM payouts_correctedpayable GROUP BY pool_id
"""

_BOOKINGS_ARE_ROWS = f"""
SELECT p.code || ': ' || f.name || ' of ' || f.booked || ', tickets of ' || f.of_tickets
FROM payouts_correctionbooking g JOIN pools_pool p ON p.id = g.pool_id LEFT JOIN ({_SUMS}) s ON s.pool_id = g.pool_id
CROSS JOIN LATERAL (VALUES
    ('winnings added', g.winnings_added, COALESCE(s.winnings_added, 0)),
    ('winnings taken', g.winnings_taken, COALESCE(s.winnings_taken, 0)),
    ('refunds added', g.refunds_added, COALESCE(s.refunds_added, 0)),
    ('refunds taken', g.refunds_taken, COALESCE(s.refunds_taken, 0)),
    ('overpaid', g.overpaid, COALESCE(s.overpaid, 0))) f (name, booked, of_tickets)
WHERE f.booked <> f.of_tickets
ORDER BY 1
"""

_BOOKINGS_ARE_ENTRIES = """
SELECT COALESCE(c.key || ' of ' || c.amount, 'no correction') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT g.pool_id, k.key, k.kind, k.amount FROM payouts_correctionbooking g CROSS JOIN LATERAL (VALUES
          ('correct:winnings-added', 'correction_added', g.winnings_added),
          ('correct:winnings-taken', 'correction_taken', -g.winnings_taken),
          ('correct:refunds-added', 'correction_added', g.refunds_added),
          ('correct:refunds-taken', 'correction_taken', -g.refunds_taken),
          ('correct:takeout', 'correction_takeout', g.takeout),
          ('correct:jackpot', 'jackpot_corrected', g.jackpot)) k (key, kind, amount) WHERE k.amount <> 0) c
FULL JOIN (
    SELECT t.book, t.key, t.kind, CASE d.kind WHEN 'organizer' THEN n.amount ELSE -n.amount END AS amount
    FROM accounts_transfer t JOIN accounts_entry n USING (book, key) JOIN accounts_ledgeraccount d ON d.id = n.debit_id
    WHERE t.kind IN ('correction_added', 'correction_taken', 'correction_takeout', 'jackpot_corrected')) e
  ON e.book = c.pool_id AND e.key = c.key
WHERE (c.kind, c.amount) IS DISTINCT FROM (e.kind, e.amount)
ORDER BY 1
"""

# The difference of both statements, part by part: what the jackpot could not give up is said.
_STATEMENTS_DIFFER_SO = """
SELECT p.code || ' ' || f.name || ': ' || f.booked || ' booked, ' || f.stated || ' by the statements'
FROM payouts_correctionbooking g JOIN pools_pool p ON p.id = g.pool_id
JOIN pools_settlement s ON s.pool_id = g.pool_id JOIN pools_correction k ON k.pool_id = g.pool_id
CROSS JOIN LATERAL (SELECT s.statement_text::jsonb AS before, k.statement_text::jsonb AS after) j
CROSS JOIN LATERAL (VALUES
    ('takeout', g.takeout, (after ->> 'takeout')::bigint - (before ->> 'takeout')::bigint),
    ('jackpot', g.jackpot - g.jackpot_short, (after ->> 'jackpot_out')::bigint - (before ->> 'jackpot_out')::bigint)
    ) f (name, booked, stated)
WHERE f.booked <> f.stated
ORDER BY 1
"""

_ROWS_ARE_PAYABLES = """
SELECT COALESCE(c.ticket || ' ' || c.outcome || ' of ' || c.amount, 'not corrected') || ', '
       || COALESCE(y.kind || ' ' || y.ticket || ' ' || y.state || ' of ' || y.amount, 'no payable')
FROM (SELECT pool_id, ticket, CASE outcome WHEN 'made_good' THEN 'correction' ELSE kind END AS kind, outcome,
             CASE outcome WHEN 'amended' THEN after WHEN 'added' THEN after WHEN 'made_good' THEN moved ELSE before END
             AS amount
      FROM payouts_correctedpayable WHERE outcome <> 'left') c
FULL JOIN (SELECT * FROM payouts_payable y
           WHERE kind = 'correction' OR EXISTS (SELECT FROM payouts_correctedpayable r
               WHERE (r.pool_id, r.ticket, r.kind) = (y.pool_id, y.ticket, y.kind)
                 AND r.outcome NOT IN ('left', 'made_good'))) y USING (pool_id, ticket, kind)
WHERE c.amount IS DISTINCT FROM y.amount OR c.outcome = 'revoked' AND y.state <> 'revoked'
   OR c.outcome = 'overpaid' AND y.state <> 'paid' OR c.outcome = 'kept' AND y.state NOT IN ('expired', 'lapsed')
ORDER BY 1
"""

_CASES_ARE_ENTRIES = """
SELECT COALESCE(c.key || ' of ' || c.amount, 'no case') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT pool_id, kind || '-overpaid:' || ticket AS key, 'overpaid' AS what, ticket, receivable AS amount
      FROM payouts_overpaidcase WHERE receivable > 0
      UNION ALL SELECT pool_id, kind || '-waived:' || ticket, 'overpaid_waived', ticket, waived
      FROM payouts_overpaiddecision WHERE waived > 0) c
FULL JOIN (
    SELECT t.book, t.key, t.kind, n.amount, CASE t.kind WHEN 'overpaid' THEN d.owner ELSE k.owner END AS owner,
           d.kind AS debit, k.kind AS credit
    FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
    JOIN accounts_ledgeraccount d ON d.id = n.debit_id JOIN accounts_ledgeraccount k ON k.id = n.credit_id
    WHERE t.kind IN ('overpaid', 'overpaid_waived')) e
  ON e.book = c.pool_id AND e.key = c.key
WHERE (c.what, c.amount, c.ticket) IS DISTINCT FROM (e.kind, e.amount, e.owner)
   OR 'receivable' <> CASE e.kind WHEN 'overpaid' THEN e.debit ELSE e.credit END
   OR 'organizer' <> CASE e.kind WHEN 'overpaid' THEN e.credit ELSE e.debit END
ORDER BY 1
"""

# Whoever was paid too much has a case, of no more than that.
_OVERPAID_ARE_CASES = """
SELECT COALESCE(c.ticket || ' overpaid by ' || c.overpaid, 'nothing overpaid') || ', '
       || COALESCE('case ' || o.ticket || ' of ' || o.receivable, 'no case')
FROM (SELECT * FROM payouts_correctedpayable WHERE outcome = 'overpaid') c
FULL JOIN payouts_overpaidcase o USING (pool_id, ticket, kind)
WHERE c.ticket IS NULL OR o.ticket IS NULL OR o.receivable > c.overpaid
ORDER BY 1
"""

PROOFS: Mapping[str, str] = {
    "what a correction changed is the difference of both settlements": _ROWS_ARE_DIFFERENCES,
    "what a correction booked is what its tickets come to": _BOOKINGS_ARE_ROWS,
    "what a correction booked is in the ledger, and only that": _BOOKINGS_ARE_ENTRIES,
    "takeout and jackpot were corrected by the difference of both statements": _STATEMENTS_DIFFER_SO,
    "what is owed on a corrected ticket is as its correction says": _ROWS_ARE_PAYABLES,
    "every overpaid ticket is a case, every case an overpaid ticket": _OVERPAID_ARE_CASES,
    "every case and every waiver is an entry, and only that": _CASES_ARE_ENTRIES,
}
