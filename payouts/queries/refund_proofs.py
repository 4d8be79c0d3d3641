"""What must always be true of refunds, of what is given back, and of ended games, as SQL that lists the exceptions."""

from collections.abc import Mapping

_WHOLE_STAKES = """
SELECT y.ticket || ': ' || y.amount || ' to be returned, ' || COALESCE(b.stake::text, 'nothing') || ' staked'
FROM payouts_payable y LEFT JOIN pools_bet b ON b.pool_id = y.pool_id AND b.ticket = y.ticket
WHERE y.kind = 'refund' AND y.amount IS DISTINCT FROM b.stake
  AND y.pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)
ORDER BY 1
"""

_LAPSED_ARE_ENTRIES = """
SELECT COALESCE(y.kind || ' ' || y.ticket || ' lapsed of ' || y.amount, 'no payable') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT * FROM payouts_payable WHERE state = 'lapsed') y
FULL JOIN (SELECT t.book, t.key, n.amount FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.kind = 'jackpot_refund') e
  ON e.book = y.pool_id AND e.key = 'refund-lapsed:' || y.ticket
WHERE (y.kind, y.amount) IS DISTINCT FROM ('refund', e.amount)
ORDER BY 1
"""

_LAPSED_BY_TWO = """
SELECT p.code || ': ' || COALESCE(y.amount, 0) || ' on ' || COALESCE(y.tickets, 0) || ' tickets lapsed, '
       || COALESCE(d.amount, 0) || ' on ' || COALESCE(d.tickets, 0) || ' decided'
FROM (SELECT pool_id, count(*) AS tickets, sum(amount) AS amount FROM payouts_payable WHERE state = 'lapsed'
      GROUP BY pool_id) y
FULL JOIN (SELECT a.pool_id, sum(x.tickets) AS tickets, sum(x.amount) AS amount
           FROM payouts_refundlapse x JOIN payouts_refundlapseproposal a ON a.id = x.proposal_id
           GROUP BY a.pool_id) d USING (pool_id)
JOIN pools_pool p ON p.id = pool_id
WHERE (y.tickets, y.amount) IS DISTINCT FROM (d.tickets, d.amount)
ORDER BY p.code
"""

_GIVEN_BACK = """
SELECT COALESCE('payment ' || r.id || ' of ' || r.amount, 'no payment') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM payouts_receivablepayment r
FULL JOIN (SELECT t.book, t.key, n.amount FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.kind = 'receivable_paid') e
  ON e.book = r.pool_id AND e.key = 'receivable-paid:' || r.id
WHERE r.amount IS DISTINCT FROM e.amount
ORDER BY 1
"""

_NOT_TOO_MUCH_BACK = """
SELECT a.kind || ':' || a.owner || ' ' || sum(CASE WHEN e.debit_id = a.id THEN e.amount ELSE -e.amount END)
FROM accounts_ledgeraccount a JOIN accounts_entry e ON a.id IN (e.debit_id, e.credit_id)
WHERE a.kind = 'receivable'
GROUP BY a.id HAVING sum(CASE WHEN e.debit_id = a.id THEN e.amount ELSE -e.amount END) < 0
ORDER BY a.id
"""

_ENDED_BY_DOCUMENT = """
SELECT COALESCE(g.game || ' ended with ' || g.moved || ' for ' || g.jackpot_to, 'no end of a game') || ', '
       || COALESCE('entry of ' || e.amount || ' from ' || e.debited || ' to ' || e.credited, 'no entry')
FROM (SELECT * FROM accounts_gameend WHERE moved <> 0) g
FULL JOIN (SELECT n.amount, d.owner AS debited, c.owner AS credited
           FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           JOIN accounts_ledgeraccount d ON d.id = n.debit_id JOIN accounts_ledgeraccount c ON c.id = n.credit_id
           WHERE t.kind = 'jackpot_game_ended') e ON e.debited = g.game
WHERE (g.moved, g.jackpot_to) IS DISTINCT FROM (e.amount, e.credited)
ORDER BY 1
"""

_NOTHING_LEFT_BEHIND = """
SELECT g.game || ' ended, its jackpot has '
       || sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END)
FROM accounts_gameend g JOIN accounts_ledgeraccount a ON a.kind = 'jackpot' AND a.owner = g.game
JOIN accounts_entry e ON a.id IN (e.debit_id, e.credit_id)
GROUP BY g.game HAVING sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END) <> 0
ORDER BY g.game
"""

PROOFS: Mapping[str, str] = {
    "every returned stake is the whole stake of a bet": _WHOLE_STAKES,
    "what has lapsed has an entry in the jackpot, and only that": _LAPSED_ARE_ENTRIES,
    "what has lapsed was decided by two people, to the kopeck": _LAPSED_BY_TWO,
    "what was given back is in the ledger, and only that": _GIVEN_BACK,
    "nobody gave back more than was owed": _NOT_TOO_MUCH_BACK,
    "the jackpot of every game that ended went where its document says": _ENDED_BY_DOCUMENT,
    "no game that ended has left money behind": _NOTHING_LEFT_BEHIND,
}
