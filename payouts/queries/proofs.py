"""What must always be true of pools and payouts against the ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping

# What a pool's book says, by kind of transfer: one row a pool, kopecks.
_BOOKS = """
SELECT t.book AS pool_id,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'stake'), 0) AS turnover,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0) AS refunds,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'takeout'), 0) AS takeout,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'top_up'), 0) AS added,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'winnings'), 0) AS winnings,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind = 'jackpot_drawn'), 0) AS jackpot_in,
       COALESCE(sum(e.amount) FILTER (WHERE t.kind IN
           ('jackpot_undrawn', 'jackpot_no_winner', 'jackpot_cap', 'jackpot_remainder')), 0) AS jackpot_out
FROM accounts_transfer t JOIN accounts_entry e USING (book, key)
WHERE t.book <> 0 GROUP BY t.book
"""

_POTS_EMPTY = """
SELECT p.code || ' ' || sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END)
FROM pools_pool p
JOIN accounts_ledgeraccount a ON a.kind = 'pool_pot' AND a.owner = p.code
JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
WHERE p.state IN ('settled', 'archived', 'cancelled')
GROUP BY p.code HAVING sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END) <> 0
ORDER BY p.code
"""

_MONEY_IDENTITY = f"""
SELECT p.code || ': ' || turnover || ' + ' || jackpot_in || ' + ' || added || ' is not '
       || refunds || ' + ' || takeout || ' + ' || winnings || ' + ' || jackpot_out
FROM ({_BOOKS}) b JOIN pools_pool p ON p.id = b.pool_id
WHERE p.state IN ('settled', 'archived', 'cancelled')
  AND turnover + jackpot_in + added <> refunds + takeout + winnings + jackpot_out
ORDER BY p.code
"""

_STATEMENTS_AGREE = f"""
SELECT p.code || ' ' || f.name || ': ' || f.ledger || ' in the ledger, ' || f.stated || ' in the statement'
FROM pools_settlement s
JOIN pools_pool p ON p.id = s.pool_id
LEFT JOIN ({_BOOKS}) b ON b.pool_id = s.pool_id
CROSS JOIN LATERAL (SELECT s.statement_text::jsonb AS says) j
CROSS JOIN LATERAL (VALUES
    ('turnover', b.turnover, (says ->> 'turnover')::bigint), ('refunds', b.refunds, (says ->> 'refunds')::bigint),
    ('takeout', b.takeout, (says ->> 'takeout')::bigint), ('added', b.added, (says ->> 'added')::bigint),
    ('winnings', b.winnings, (says ->> 'winnings')::bigint),
    ('jackpot_in', b.jackpot_in, (says ->> 'jackpot_in')::bigint),
    ('jackpot_out', b.jackpot_out, (says ->> 'jackpot_out')::bigint)) f (name, ledger, stated)
WHERE s.state = 'official' AND COALESCE(f.ledger, 0) <> f.stated
ORDER BY p.code, f.name
"""

_STAKES_ARE_BETS = """
SELECT COALESCE('bet ' || b.ticket || ' of ' || b.stake, 'no bet') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM pools_bet b
FULL JOIN (
    SELECT t.book, t.key, n.amount, n.debit_id, c.kind, c.owner
    FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
    JOIN accounts_ledgeraccount c ON c.id = n.credit_id WHERE t.kind = 'stake') e
  ON e.book = b.pool_id AND e.key = 'stake:' || b.ticket
LEFT JOIN pools_pool p ON p.id = b.pool_id
WHERE (b.stake, b.paid_from_id, 'pool_pot', p.code) IS DISTINCT FROM (e.amount, e.debit_id, e.kind, e.owner)
  AND COALESCE(b.pool_id, e.book) NOT IN (SELECT pool_id FROM pools_poolarchive)
ORDER BY 1
"""

# Of a pool whose bets are in its archive, the ledger is held to what the archive says.
_ARCHIVES_AGREE = f"""
SELECT p.code || ': stakes of ' || COALESCE(b.turnover, 0) || ' and winnings of ' || COALESCE(b.winnings, 0)
       || ' in the ledger, ' || a.turnover || ' and ' || a.won || ' archived'
FROM pools_poolarchive a JOIN pools_pool p ON p.id = a.pool_id
LEFT JOIN ({_BOOKS}) b ON b.pool_id = a.pool_id
WHERE (COALESCE(b.turnover, 0), COALESCE(b.winnings, 0)) IS DISTINCT FROM (a.turnover, a.won)
ORDER BY 1
"""

_WINNINGS_ARE_ROWS = f"""
SELECT p.code || ': rows of ' || COALESCE(w.total, 0) || ', ' || COALESCE(b.winnings, 0) || ' set aside'
FROM pools_settlement s
JOIN pools_pool p ON p.id = s.pool_id
LEFT JOIN (SELECT pool_id, sum(amount) AS total FROM pools_winning GROUP BY pool_id) w ON w.pool_id = s.pool_id
LEFT JOIN ({_BOOKS}) b ON b.pool_id = s.pool_id
WHERE s.state = 'official' AND COALESCE(w.total, 0) <> COALESCE(b.winnings, 0)
  AND s.pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)
ORDER BY p.code
"""

_DEBTS_ARE_PAYABLES = """
SELECT p.code || ' ' || k.debt || ': payables of ' || COALESCE(d.total, 0) || ', ' || COALESCE(l.total, 0) || ' owed'
FROM pools_pool p LEFT JOIN payouts_booking g ON g.pool_id = p.id
CROSS JOIN (VALUES ('winnings_due', 'winning'), ('refunds_due', 'refund')) k (debt, kind)
LEFT JOIN (SELECT pool_id, CASE kind WHEN 'refund' THEN 'refund' ELSE 'winning' END AS kind, sum(amount) AS total
           FROM payouts_payable WHERE state = 'due' GROUP BY 1, 2) d ON d.pool_id = p.id AND d.kind = k.kind
LEFT JOIN (SELECT a.kind, a.owner, sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END) AS total
           FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
           WHERE a.kind IN ('winnings_due', 'refunds_due') GROUP BY a.kind, a.owner) l
  ON l.kind = k.debt AND l.owner = p.code
WHERE COALESCE(d.total, 0) <> COALESCE(l.total, 0)
  AND (g.pool_id IS NOT NULL OR p.state NOT IN ('settled', 'archived', 'cancelled'))
ORDER BY p.code, k.debt
"""

# As they were booked: without what came later by a cancelled bet (¶29) or by a correction, and before it changed them.
_BOOKINGS_ARE_PAYABLES = """
SELECT p.code || ': booked ' || g.tickets || ' tickets, ' || g.winnings || ' + ' || g.refunds || '; payables '
       || count(y.ticket) || ', ' || COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'winning'), 0) || ' + '
       || COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'refund'), 0)
FROM payouts_booking g JOIN pools_pool p ON p.id = g.pool_id LEFT JOIN (
    SELECT y.pool_id, y.ticket, y.kind, CASE c.outcome WHEN 'amended' THEN c.before ELSE y.amount END AS amount
    FROM payouts_payable y LEFT JOIN payouts_correctedpayable c USING (pool_id, ticket, kind)
    WHERE y.kind <> 'correction' AND c.outcome IS DISTINCT FROM 'added' AND NOT (y.kind = 'refund' AND EXISTS (
        SELECT FROM pools_betcancellation x
        WHERE x.pool_id = y.pool_id AND x.ticket = y.ticket AND x.cancelled_when = 'after'))) y
  ON y.pool_id = g.pool_id
GROUP BY p.code, g.tickets, g.winnings, g.refunds
HAVING (g.tickets, g.winnings, g.refunds) <> (count(y.ticket),
    COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'winning'), 0),
    COALESCE(sum(y.amount) FILTER (WHERE y.kind = 'refund'), 0))
ORDER BY p.code
"""

_PAYMENTS_ARE_ENTRIES = """
SELECT COALESCE(p.kind || ' ' || p.ticket || ': ' || p.net || ' and tax ' || p.tax, 'no payment') || ', '
       || COALESCE('entries of ' || e.key || ': ' || e.net || ' and tax ' || e.tax, 'no entries')
       || CASE WHEN p.rounded <> e.rounded THEN ', rounded by ' || p.rounded || ', not ' || e.rounded ELSE '' END
FROM payouts_payment p
FULL JOIN (
    SELECT t.book, t.key, t.kind,
           COALESCE(sum(n.amount) FILTER (WHERE c.kind <> 'tax_due'), 0) AS net,
           COALESCE(sum(n.amount) FILTER (WHERE c.kind = 'tax_due'), 0) AS tax,
           COALESCE(sum(n.amount) FILTER (WHERE c.kind = 'cash_rounding'), 0) AS rounded
    FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
    JOIN accounts_ledgeraccount c ON c.id = n.credit_id
    WHERE t.kind IN ('winning_paid', 'refund_paid') GROUP BY t.book, t.key, t.kind) e
  ON e.book = p.pool_id AND e.key = p.kind || '-paid:' || p.ticket
WHERE (p.net, p.tax, p.rounded, CASE p.kind WHEN 'refund' THEN 'refund_paid' ELSE 'winning_paid' END)
      IS DISTINCT FROM (e.net, e.tax, e.rounded, e.kind)
ORDER BY 1
"""

_PAID_HAVE_PAYMENTS = """
SELECT COALESCE(y.kind || ' ' || y.ticket || ' ' || y.state || ' of ' || y.amount, 'no payable') || ', '
       || COALESCE('payment for ' || p.ticket || ' of ' || p.gross, 'no payment')
FROM (SELECT * FROM payouts_payable WHERE state = 'paid') y
FULL JOIN payouts_payment p USING (pool_id, ticket, kind)
WHERE y.amount IS DISTINCT FROM p.gross
ORDER BY 1
"""

_EXPIRED_ARE_ENTRIES = """
SELECT COALESCE(y.ticket || ' expired of ' || y.amount, 'no payable') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT * FROM payouts_payable WHERE state = 'expired') y
FULL JOIN (SELECT t.book, t.key, n.amount FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.kind = 'jackpot_unclaimed') e
  ON e.book = y.pool_id AND e.key = y.kind || '-expired:' || y.ticket
WHERE y.amount IS DISTINCT FROM e.amount
ORDER BY 1
"""

# What is revoked, but not by a correction (correction_proofs.py).
_REVOKED = """
SELECT y.* FROM payouts_payable y LEFT JOIN payouts_correctedpayable r USING (pool_id, ticket, kind)
WHERE y.state = 'revoked' AND r.outcome IS DISTINCT FROM 'revoked'
"""

# The stake of a cancelled bet comes from the pot or, after the settlement, from the organizer, and then its winning is
# taken back (D-3).
_CANCELLED_ARE_ENTRIES = f"""
SELECT COALESCE(c.key || ' of ' || c.amount, 'no cancellation') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT x.pool_id, k.key || x.ticket AS key, k.kind, k.amount
      FROM pools_betcancellation x
      CROSS JOIN LATERAL (VALUES
          ('cancelled-refund:', 'refund', x.stake, x.cancelled_when = 'before'),
          ('cancelled-stake:', 'bet_cancelled', x.stake, x.cancelled_when = 'after'),
          ('winning-reclaimed:', 'winning_reclaimed', x.taken, x.winning = 'paid')) k (key, kind, amount, wanted)
      WHERE k.wanted
      UNION ALL
      SELECT y.pool_id, y.kind || '-cancelled:' || y.ticket, 'jackpot_cancelled', y.amount FROM ({_REVOKED}) y) c
FULL JOIN (SELECT t.book, t.key, t.kind, n.amount FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.kind IN ('bet_cancelled', 'jackpot_cancelled', 'winning_reclaimed')
              OR t.kind = 'refund' AND t.key LIKE 'cancelled-refund:%') e
  ON e.book = c.pool_id AND e.key = c.key
WHERE (c.kind, c.amount) IS DISTINCT FROM (e.kind, e.amount)
ORDER BY 1
"""

_REVOKED_ARE_CANCELLED = f"""
SELECT COALESCE(y.ticket || ' revoked of ' || y.amount, 'no payable') || ', '
       || COALESCE('cancelled bet ' || x.ticket || ' of ' || x.taken, 'no cancelled bet')
FROM ({_REVOKED}) y
FULL JOIN (SELECT * FROM pools_betcancellation WHERE cancelled_when = 'after') x USING (pool_id, ticket)
WHERE y.ticket IS NULL AND x.winning = 'unpaid' OR x.ticket IS NULL OR y.kind = 'refund'
   OR x.winning = 'unpaid' AND y.amount <> x.taken
ORDER BY 1
"""

PROOFS: Mapping[str, str] = {
    "the pot of every settled or cancelled pool is empty": _POTS_EMPTY,
    "turnover + jackpot in + added = refunds + takeout + winnings + jackpot out": _MONEY_IDENTITY,
    "the ledger says what the statement says": _STATEMENTS_AGREE,
    "every bet's stake is an entry, every stake entry a bet": _STAKES_ARE_BETS,
    "an archived pool's stakes and winnings are those of its archive": _ARCHIVES_AGREE,
    "the winnings set aside are the rows of winnings": _WINNINGS_ARE_ROWS,
    "what is booked is what the payables are": _BOOKINGS_ARE_PAYABLES,
    "what is owed in the ledger is what is due on tickets": _DEBTS_ARE_PAYABLES,
    "every payment is in the ledger, every paying entry is a payment": _PAYMENTS_ARE_ENTRIES,
    "what is paid has a payment, and only that": _PAID_HAVE_PAYMENTS,
    "what has expired has an entry in the jackpot, and only that": _EXPIRED_ARE_ENTRIES,
    "what a cancelled bet moved is in the ledger": _CANCELLED_ARE_ENTRIES,
    "what is revoked is the unpaid winning of a cancelled bet": _REVOKED_ARE_CANCELLED,
}
