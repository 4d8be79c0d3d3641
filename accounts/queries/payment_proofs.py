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

_HELD_ARE_ENTRIES = """
SELECT COALESCE('held deposit ' || h.deposit_id || ' of ' || h.amount || ', ' || h.state, 'no held deposit') || ', '
       || COALESCE(e.held || ' came, ' || e.gone || ' went', 'no entry')
FROM accounts_helddeposit h
FULL JOIN (SELECT split_part(t.key, ':', 2) AS number,
                  sum(CASE WHEN t.kind = 'deposit_held' THEN n.amount ELSE 0 END) AS held,
                  sum(CASE WHEN t.kind = 'deposit_returned' THEN n.amount ELSE 0 END) AS gone
           FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
           WHERE t.book = 0 AND t.kind IN ('deposit_held', 'deposit_returned') GROUP BY 1) e
  ON e.number = h.deposit_id::text
LEFT JOIN accounts_providerdeposit p ON p.id = h.deposit_id
WHERE h.amount IS DISTINCT FROM e.held
   OR e.gone IS DISTINCT FROM CASE WHEN h.state = 'returned' THEN h.amount ELSE 0 END
   OR p.state IS DISTINCT FROM CASE WHEN h.state = 'credited' THEN 'settled' ELSE h.state END
ORDER BY 1
"""

_HELD_DUE = """
SELECT 'deposits of ' || h.total || ' are held, ' || l.total || ' on their accounts'
FROM (SELECT COALESCE(sum(amount), 0) AS total FROM accounts_helddeposit WHERE state = 'held') h,
     (SELECT COALESCE(sum(CASE WHEN e.credit_id = a.id THEN e.amount ELSE -e.amount END), 0) AS total
      FROM accounts_ledgeraccount a JOIN accounts_entry e ON e.debit_id = a.id OR e.credit_id = a.id
      WHERE a.kind = 'held_deposits') l
WHERE h.total <> l.total
"""

PROOFS: Mapping[str, str] = {
    "every top-up is an entry, every deposit a top-up": _TOP_UPS_ARE_ENTRIES,
    "every held deposit is an entry, and so is every one given back": _HELD_ARE_ENTRIES,
    "what is held for payers is deposits not credited and not given back": _HELD_DUE,
    "what is on its way to players is withdrawals that are open": _WITHDRAWALS_DUE,
    "what is on its way by payment orders is orders not executed": _ORDERS_DUE,
}
"""By the name that is told when one does not hold."""
