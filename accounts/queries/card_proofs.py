"""What must always be true of prepaid cards against the ledger, as SQL that lists the exceptions (D5)."""

from collections.abc import Mapping

# Money on an account that no card in use has: of a card that expired, was replaced, or never was.
_MONEY_IS_ON_CARDS = """
SELECT a.kind || ':' || a.owner || ' ' || b.balance || ', cards in use: ' || count(c.id)
FROM accounts_ledgeraccount a
CROSS JOIN LATERAL (
    SELECT COALESCE(sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END), 0) AS balance
    FROM accounts_entry e WHERE e.credit_id = a.id OR e.debit_id = a.id) b
LEFT JOIN accounts_prepaidcard c ON c.ledger_account_id = a.id AND c.state IN ('active', 'blocked')
WHERE a.kind = 'prepaid_card' AND b.balance <> 0
GROUP BY a.id, a.kind, a.owner, b.balance HAVING count(c.id) <> 1
ORDER BY a.id
"""

_SALES_ARE_ENTRIES = """
SELECT COALESCE('card ' || c.number || ' of ' || c.face_value, 'no sold card') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT c.number, b.face_value, t.ledger_account_id AS till
      FROM accounts_prepaidcard c JOIN accounts_cardbatch b ON b.id = c.batch_id
      JOIN accounts_till t ON t.id = c.sold_at_till_id WHERE c.sold_at IS NOT NULL) c
FULL JOIN (SELECT t.key, n.amount, n.debit_id, a.kind, a.owner
           FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           JOIN accounts_ledgeraccount a ON a.id = n.credit_id WHERE t.kind = 'card_sold') e
  ON e.key = 'card-sold:' || c.number
WHERE (c.face_value, c.till, 'prepaid_card', c.number) IS DISTINCT FROM (e.amount, e.debit_id, e.kind, e.owner)
ORDER BY 1
"""

_BATCHES_ARE_CARDS = """
SELECT b.series || ' batch ' || b.id || ' ' || b.state || ' of ' || b.quantity || ': cards ' || count(c.id)
FROM accounts_cardbatch b LEFT JOIN accounts_prepaidcard c ON c.batch_id = b.id
GROUP BY b.id HAVING count(c.id) <> CASE WHEN b.state = 'exported' THEN b.quantity ELSE 0 END
ORDER BY b.id
"""

PROOFS: Mapping[str, str] = {
    "what is owed on prepaid cards is on cards in use": _MONEY_IS_ON_CARDS,
    "every sold card is an entry of its face value, every such entry a card": _SALES_ARE_ENTRIES,
    "every card that was printed is still counted": _BATCHES_ARE_CARDS,
}
