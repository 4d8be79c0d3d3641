"""What must always be true of bets by transfer and on paper, as SQL that lists the exceptions (docs/ledger.md)."""

from collections.abc import Mapping

_TRANSFER_BETS = """
SELECT COALESCE('bet ' || b.ticket || ' of ' || b.stake, 'no bet') || ', '
       || COALESCE('order ' || o.id || ' of ' || o.stake, 'no order') || ', '
       || COALESCE('placed ' || p.amount || ' of line ' || p.receipt_id, 'nothing placed')
FROM (SELECT * FROM pools_bet WHERE channel = 'transfer'
      AND pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)) b
FULL JOIN (SELECT * FROM pools_betorder WHERE state = 'registered'
           AND pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)) o ON o.ticket = b.ticket
FULL JOIN (SELECT * FROM accounts_placement x WHERE outcome = 'bet' AND NOT EXISTS (
    SELECT FROM pools_betorder n JOIN pools_poolarchive a ON a.pool_id = n.pool_id
    WHERE n.paid_by_id = x.receipt_id AND x.subject = 'bet:' || n.ticket)) p
  ON p.receipt_id = o.paid_by_id AND p.subject = 'bet:' || o.ticket
WHERE b.stake IS DISTINCT FROM o.stake OR p.amount IS DISTINCT FROM o.stake
ORDER BY 1
"""

_PAPER_BETS = """
SELECT COALESCE('bet ' || b.ticket || ' of ' || b.stake, 'no bet') || ', '
       || COALESCE('form ' || f.number || ' of ' || f.stake, 'no form')
FROM (SELECT * FROM pools_bet WHERE channel = 'paper'
      AND pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)) b
FULL JOIN (SELECT * FROM pools_paperform WHERE state = 'registered'
           AND pool_id NOT IN (SELECT pool_id FROM pools_poolarchive)) f ON f.ticket = b.ticket
WHERE b.stake IS DISTINCT FROM f.stake
ORDER BY 1
"""

PROOFS: Mapping[str, str] = {
    "every bet by transfer is a paid order and a part of a transfer": _TRANSFER_BETS,
    "every bet on paper is an approved form": _PAPER_BETS,
}
"""By the name that is told when one does not hold."""
