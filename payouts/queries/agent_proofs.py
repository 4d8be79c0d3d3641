"""What must always be true of agents' commissions against the ledger, as SQL that lists the exceptions."""

from collections.abc import Mapping

_COMMISSIONS_ARE_ENTRIES = """
SELECT COALESCE('agent ' || c.agent_id || ' of ' || c.amount, 'no commission') || ', '
       || COALESCE('entry ' || e.key || ' of ' || e.amount, 'no entry')
FROM (SELECT c.pool_id, c.agent_id, c.amount, a.contract_number
      FROM payouts_agentcommission c JOIN accounts_agent a ON a.id = c.agent_id WHERE c.amount > 0) c
FULL JOIN (
    SELECT t.book, t.key, n.amount, d.kind AS debit, k.kind AS credit, k.owner
    FROM accounts_transfer t JOIN accounts_entry n USING (book, key)
    JOIN accounts_ledgeraccount d ON d.id = n.debit_id JOIN accounts_ledgeraccount k ON k.id = n.credit_id
    WHERE t.kind = 'agent_commission') e
  ON e.book = c.pool_id AND e.key = 'agent-commission:' || c.agent_id
WHERE (c.amount, c.contract_number, 'organizer', 'agent_due') IS DISTINCT FROM (e.amount, e.owner, e.debit, e.credit)
ORDER BY 1
"""

PROOFS: Mapping[str, str] = {
    "every agent's commission is an entry, every such entry a commission": _COMMISSIONS_ARE_ENTRIES,
}
