"""Accounts that nobody has used for long (E5)."""

from collections.abc import Iterator
from datetime import datetime

from django.db import connection

# The last act of the owner's own: a log-in, a bet, a top-up, a withdrawal, the opening.
_DORMANT = """
SELECT g.id, a.last_act_at
FROM accounts_gameaccount g
JOIN accounts_user u ON u.id = g.player_id
CROSS JOIN LATERAL (SELECT GREATEST(
    g.opened_at, u.last_login,
    (SELECT max(b.registered_at) FROM pools_bet b WHERE b.player_id = u.id),
    (SELECT max(t.credited_at) FROM accounts_topup t WHERE t.account_id = g.id),
    (SELECT max(w.requested_at) FROM accounts_withdrawal w WHERE w.account_id = g.id)) AS last_act_at) a
WHERE g.state IN ('active', 'blocked') AND g.opened_at < %(before)s AND a.last_act_at < %(before)s
  AND NOT EXISTS (SELECT FROM accounts_dormancynotice n WHERE n.account_id = g.id AND n.last_act_at = a.last_act_at)
ORDER BY g.id
"""


def untold_dormant_accounts(before: datetime) -> Iterator[tuple[int, datetime]]:
    """Yield (account, its owner's last act) of accounts unused since `before` whose owners were not told of it yet."""
    with connection.cursor() as cursor:
        cursor.execute(_DORMANT, {"before": before})
        yield from cursor.fetchall()
