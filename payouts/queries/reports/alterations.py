"""Every bet that was voided or cancelled, every ticket and card that expired: reason and person, each once (N3)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy as _

from payouts.queries.reports.facts import VOIDED
from payouts.queries.reports.shape import Asked, Cell, ReportColumn, ReportKind, amount
from totalizator.core.localtime import local_text

CHANGES = {
    "late": _("Bet void: registered after the actual start"),
    "cancelled_bet": _("Bet cancelled (¶29)"),
    "taken_unpaid": _("Winning of a cancelled bet taken back, into the jackpot (¶29)"),
    "taken_paid": _("Winning of a cancelled bet, to be given back by who was paid (¶29)"),
    "cancelled_pool": _("Bet returned: the pool was cancelled"),
    "returned_pool": _("Bet returned: nothing came to be settled"),
    "corrected": _("Winning or returned stake changed by a correcting protocol"),
    "overpaid": _("Overpaid, as a correcting protocol shows"),
    "expired_ticket": _("Winning expired: nobody came for it in the term"),
    "expired_card": _("Card expired"),
}

# Who did it stands in the journal beside the act, at the same instant.
_ALTERED = f"""
WITH voided AS ({VOIDED}),
own AS (
    SELECT n.pool_id, n.ticket, n.cancelled_at AS at, n.winning, n.taken, r.reason,
           'user:' || n.proposed_by_id || ', user:' || n.approved_by_id AS people
    FROM pools_betcancellation n JOIN pools_betcancellationproposal r ON r.id = n.proposal_id
)
SELECT v.at, v.why, v.ticket, b.stake, COALESCE(c.reason, own.reason, ''),
       COALESCE('user:' || c.proposed_by_id || ', user:' || c.approved_by_id, own.people, done.actor, '')
FROM voided v JOIN pools_bet b USING (pool_id, ticket) JOIN pools_pool p ON p.id = v.pool_id
LEFT JOIN pools_cancellation c ON c.pool_id = v.pool_id AND v.why = 'cancelled_pool'
LEFT JOIN own ON own.pool_id = v.pool_id AND own.ticket = v.ticket AND v.why = 'cancelled_bet'
LEFT JOIN LATERAL (SELECT j.actor FROM core_journalrecord j
    WHERE j.subject = 'pool:' || p.code AND j.act = 'settle_pool' ORDER BY j.id LIMIT 1) done ON true
WHERE v.at >= %(since)s AND v.at < %(until)s
UNION ALL
SELECT at, 'taken_' || winning, ticket, taken, reason, people FROM own
WHERE winning <> 'none' AND at >= %(since)s AND at < %(until)s
UNION ALL
SELECT y.settled_at, 'expired_ticket', y.ticket, y.amount, '', COALESCE(done.actor, '')
FROM payouts_payable y JOIN pools_pool p ON p.id = y.pool_id
LEFT JOIN LATERAL (SELECT j.actor FROM core_journalrecord j
    WHERE j.subject = 'pool:' || p.code AND j.act = 'expire_winnings' AND j.at = y.settled_at LIMIT 1) done ON true
WHERE y.state = 'expired' AND y.settled_at >= %(since)s AND y.settled_at < %(until)s
UNION ALL
SELECT g.booked_at, CASE c.outcome WHEN 'overpaid' THEN 'overpaid' ELSE 'corrected' END, c.ticket,
       c.moved + c.overpaid, COALESCE(why.reason, ''), COALESCE(why.persons, '')
FROM payouts_correctedpayable c JOIN payouts_correctionbooking g USING (pool_id)
LEFT JOIN LATERAL (
    SELECT min(e.reason) AS reason, string_agg('user:' || e.member_id, ', ' ORDER BY e.member_id) AS persons
    FROM pools_correction k JOIN pools_protocol t ON t.pool_id = k.pool_id AND t.version = k.version
    JOIN pools_resultentry e ON e.pool_id = t.pool_id AND e.attempt = t.attempt
    WHERE k.pool_id = c.pool_id) why ON true
WHERE c.moved + c.overpaid <> 0 AND g.booked_at >= %(since)s AND g.booked_at < %(until)s
UNION ALL
SELECT COALESCE(t.occurred_at, d.expires_at), 'expired_card', d.number, COALESCE(e.amount, 0), '', 'task:expire_cards'
FROM accounts_prepaidcard d
LEFT JOIN accounts_transfer t ON t.book = 0 AND t.key = 'card-expired:' || d.number
LEFT JOIN accounts_entry e ON e.book = t.book AND e.key = t.key
WHERE d.state = 'expired' AND COALESCE(t.occurred_at, d.expires_at) >= %(since)s
  AND COALESCE(t.occurred_at, d.expires_at) < %(until)s
ORDER BY 1, 2, 3
"""


def _find(asked: Asked) -> Sequence[Sequence[Cell]]:
    with connection.cursor() as cursor:
        cursor.execute(_ALTERED, asked.parameters())
        return [_row(*row) for row in cursor.fetchall()]


def _row(at: datetime, why: str, subject: str, moved: int, reason: str, person: str) -> Sequence[Any]:
    return (local_text(at, with_seconds=True), str(CHANGES[why]), subject, moved, reason, person)


ALTERATIONS = ReportKind(
    name="alterations",
    title=_("Void, cancelled and expired bets; expired cards"),
    columns=(
        ReportColumn("at", _("When")),
        ReportColumn("change", _("What")),
        ReportColumn("subject", _("Ticket or card")),
        amount("amount", _("Amount")),
        ReportColumn("reason", _("Reason")),
        ReportColumn("person", _("Who")),
    ),
    find=_find,
)
