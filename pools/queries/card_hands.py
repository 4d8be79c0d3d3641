"""Prepaid cards that one known person bought and another known person used (Q2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from accounts.queries.operations import Operation


@dataclass(frozen=True, slots=True)
class ChangedHands:
    """One use of a card by somebody who did not buy it; both as numbers of persons."""

    card: str
    use: Operation
    buyer: int
    user: int


# A bet with the card by who was logged in or showed a document, or a top-up of somebody's account.
_USES = """
SELECT c.number, u.reference, u.at, u.amount, i.person_id, u.person_id
FROM accounts_identifiedoperation i
JOIN accounts_prepaidcard c ON i.operation = 'card-sold:' || c.number
JOIN LATERAL (
    SELECT 'stake:' || b.ticket AS reference, b.registered_at AS at, b.stake AS amount, b.person_id
    FROM pools_bet b
    WHERE b.paid_from_id = c.ledger_account_id AND b.channel = 'card' AND b.person_id IS NOT NULL
      AND b.registered_at >= %(since)s AND b.registered_at < %(until)s
    UNION ALL
    SELECT t.key, t.occurred_at, e.amount, p.id
    FROM accounts_entry e
    JOIN accounts_transfer t USING (book, key)
    JOIN accounts_gameaccount g ON g.ledger_account_id = e.credit_id
    JOIN accounts_person p ON p.player_id = g.player_id
    WHERE e.debit_id = c.ledger_account_id AND t.kind = 'deposit'
      AND t.occurred_at >= %(since)s AND t.occurred_at < %(until)s) u ON u.person_id <> i.person_id
ORDER BY c.number, u.at, u.reference
"""


def changed_hands(*, since: datetime, until: datetime) -> Iterator[ChangedHands]:
    """Yield every use from `since` on of a card whose buyer is known, by another known person; `until` not included."""
    with connection.cursor() as cursor:
        cursor.execute(_USES, {"since": since, "until": until})
        for card, reference, at, amount, buyer, user in cursor.fetchall():
            yield ChangedHands(card, Operation(reference, at, amount), buyer, user)
