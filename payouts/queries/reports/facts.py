"""What happened to bets and their money in a period, a row for each bet and fact (N1).

The facts are read from bets, statements, winnings and payments: not from the ledger, so that the two prove each other.
"""

# Every ticket whose stake went back, and when that was decided: cancelled bets (¶29), cancelled pools, pools without an
# event, bets that came after the actual start (¶32). What two people cancelled goes back at once, and only so.
VOIDED = """
SELECT pool_id, ticket, cancelled_at AS at, 'cancelled_bet' AS why FROM pools_betcancellation
UNION ALL
SELECT v.pool_id, v.ticket, v.at, v.why FROM (
    SELECT b.pool_id, b.ticket, c.cancelled_at AS at, 'cancelled_pool' AS why
    FROM pools_cancellation c JOIN pools_bet b ON b.pool_id = c.pool_id
    UNION ALL
    SELECT b.pool_id, b.ticket, s.official_at, 'returned_pool'
    FROM pools_settlement s JOIN pools_bet b ON b.pool_id = s.pool_id
    WHERE s.state = 'official' AND COALESCE((s.tally_text::jsonb ->> 'returned')::boolean, false)
    UNION ALL
    SELECT s.pool_id, jsonb_array_elements_text(s.statement_text::jsonb -> 'late'), s.official_at, 'late'
    FROM pools_settlement s
    WHERE s.state = 'official' AND NOT COALESCE((s.tally_text::jsonb ->> 'returned')::boolean, false)
) v
WHERE NOT EXISTS (SELECT FROM pools_betcancellation n
                  WHERE n.pool_id = v.pool_id AND n.ticket = v.ticket AND n.cancelled_when = 'before')
"""

# The winnings of each ticket on all levels together, and when they became official.
WON = """
SELECT w.pool_id, w.ticket, s.official_at AS at, sum(w.amount)::bigint AS amount
FROM pools_winning w JOIN pools_settlement s ON s.pool_id = w.pool_id
WHERE s.state = 'official' GROUP BY w.pool_id, w.ticket, s.official_at HAVING sum(w.amount) > 0
"""

# What a correction changed of what is owed, ticket by ticket, and when it was applied (H5).
CORRECTED = """
SELECT c.pool_id, c.ticket, c.kind, c.moved, g.booked_at AS at,
       CASE c.outcome WHEN 'made_good' THEN 'correction' ELSE c.kind END AS payable, c.outcome
FROM payouts_correctedpayable c JOIN payouts_correctionbooking g USING (pool_id) WHERE c.moved <> 0
"""

FACTS = f"""
voided AS ({VOIDED}),
won AS ({WON}),
corrected AS ({CORRECTED}),
facts AS (
    SELECT pool_id, ticket, 'sold' AS fact, stake AS amount FROM pools_bet
    WHERE registered_at >= %(since)s AND registered_at < %(until)s
    UNION ALL
    SELECT v.pool_id, v.ticket, 'voided', b.stake FROM voided v JOIN pools_bet b USING (pool_id, ticket)
    WHERE v.at >= %(since)s AND v.at < %(until)s
    UNION ALL
    SELECT pool_id, ticket, 'won', amount FROM won WHERE at >= %(since)s AND at < %(until)s
    UNION ALL
    SELECT pool_id, ticket, CASE kind WHEN 'refund' THEN 'voided_anew' ELSE 'won_anew' END, moved FROM corrected
    WHERE at >= %(since)s AND at < %(until)s
    UNION ALL
    SELECT c.pool_id, c.ticket, CASE c.kind WHEN 'refund' THEN 'unreturned' ELSE 'unpaid' END, c.moved FROM corrected c
    JOIN payouts_payable p ON (p.pool_id, p.ticket, p.kind) = (c.pool_id, c.ticket, c.payable)
    WHERE c.at < %(until)s AND c.outcome <> 'revoked' AND (p.settled_at IS NULL OR p.settled_at >= %(until)s)
    UNION ALL
    SELECT pool_id, ticket, CASE kind WHEN 'refund' THEN 'returned' ELSE 'paid' END, gross FROM payouts_payment
    WHERE paid_at >= %(since)s AND paid_at < %(until)s
    UNION ALL
    SELECT pool_id, ticket, 'taxed', tax FROM payouts_payment
    WHERE paid_at >= %(since)s AND paid_at < %(until)s AND tax > 0
    UNION ALL
    SELECT pool_id, ticket, 'expired', amount FROM payouts_payable
    WHERE state = 'expired' AND settled_at >= %(since)s AND settled_at < %(until)s
    UNION ALL
    SELECT y.pool_id, y.ticket, 'revoked', y.amount FROM payouts_payable y
    LEFT JOIN payouts_correctedpayable c USING (pool_id, ticket, kind)
    WHERE y.state = 'revoked' AND y.settled_at >= %(since)s AND y.settled_at < %(until)s
      AND c.outcome IS DISTINCT FROM 'revoked'
    UNION ALL
    SELECT w.pool_id, w.ticket, 'unpaid', w.amount FROM won w
    LEFT JOIN payouts_payable p ON p.pool_id = w.pool_id AND p.ticket = w.ticket AND p.kind = 'winning'
        AND p.settled_at < %(until)s
    WHERE w.at < %(until)s AND p.ticket IS NULL
    UNION ALL
    SELECT v.pool_id, v.ticket, 'unreturned', b.stake FROM voided v JOIN pools_bet b USING (pool_id, ticket)
    LEFT JOIN payouts_payable p ON p.pool_id = v.pool_id AND p.ticket = v.ticket AND p.kind = 'refund'
        AND p.settled_at < %(until)s
    WHERE v.at < %(until)s AND p.ticket IS NULL
)
"""

COUNTED = ("sold", "won")
SUMMED = ("sold", "voided", "won", "paid", "taxed", "expired", "revoked", "unpaid", "returned", "unreturned")
SUMS = ",\n".join(
    [f"count(*) FILTER (WHERE f.fact = '{fact}')" for fact in COUNTED]
    + [f"COALESCE(sum(f.amount) FILTER (WHERE f.fact IN ('{fact}', '{fact}_anew')), 0)::bigint" for fact in SUMMED]
)
