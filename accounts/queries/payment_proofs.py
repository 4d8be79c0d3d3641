"""What must always be true of money in and out, as SQL that lists the exceptions (docs/ledger.md, Proofs)."""

from collections.abc import Mapping

_TOP_UPS_ARE_ENTRIES = """
SELECT COALESCE('top-up ' || u.way || ':' || u.reference || ' of ' || u.amount, 'no top-up') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT t.*, g.ledger_account_id FROM accounts_topup t JOIN accounts_gameaccount g ON g.id = t.account_id) u
FULL JOIN (SELECT t.key, n.amount, n.credit_id FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.book = 0 AND t.kind = 'deposit' AND t.key LIKE 'deposit:%') e
  ON e.key = 'deposit:' || u.way || ':' || u.reference
WHERE (u.amount, u.ledger_account_id) IS DISTINCT FROM (e.amount, e.credit_id)
ORDER BY 1
"""

_WITHDRAWALS_DUE = """
SELECT 'open withdrawals of ' || w.total || ', ' || l.total || ' on their way'
FROM (SELECT COALESCE(sum(amount), 0) AS total FROM accounts_withdrawal
      WHERE state NOT IN ('confirmed', 'failed', 'cancelled')) w,
     (SELECT COALESCE(sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END), 0) AS total
      FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
      WHERE a.kind = 'withdrawals_due') l
WHERE w.total <> l.total
"""

_ORDERS_DUE = """
SELECT 'open orders of ' || o.total || ', ' || l.total || ' on their way'
FROM (SELECT COALESCE(sum(amount), 0) AS total FROM accounts_paymentorder
      WHERE withdrawal_id IS NULL AND state IN ('drawn_up', 'exported', 'returned')) o,
     (SELECT COALESCE(sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END), 0) AS total
      FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
      WHERE a.kind = 'orders_due') l
WHERE o.total <> l.total
"""

PROOFS: Mapping[str, str] = {
    "every top-up is an entry, every deposit a top-up": _TOP_UPS_ARE_ENTRIES,
    "what is on its way to players is withdrawals that are open": _WITHDRAWALS_DUE,
    "what is on its way by payment orders is orders not executed": _ORDERS_DUE,
}
"""By the name that is told when one does not hold."""
