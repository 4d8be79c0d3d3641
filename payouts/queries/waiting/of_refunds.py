"""Returned stakes that nobody has collected: overdue (L1), and so old that two people may decide (D-12)."""

from datetime import datetime

from django.db import connection
from django.utils.translation import gettext as _

from payouts.queries.waiting.shape import Line
from totalizator.core.legal import whole_number_sql
from totalizator.core.money import format_byn

# By pool and legal day on which they became due. Overdue: so many days after that day, at its end. Decidable: at the
# end of the same day so many years later, or of the first working day after it; only of what is paid in cash.
_LATE = f"""
WITH due AS (
    SELECT pool_id, (payable_from AT TIME ZONE 'Europe/Minsk')::date AS day, min(payable_from) AS since,
           count(*) AS tickets, sum(amount)::bigint AS amount, count(*) FILTER (WHERE pay_to_id IS NULL) AS in_cash
    FROM payouts_payable WHERE kind = 'refund' AND state = 'due' GROUP BY 1, 2
), terms AS (
    SELECT d.*, d.day + {whole_number_sql("refund_days", "d.day")}::int AS last_day,
           CASE WHEN d.in_cash > 0 THEN
               (d.day + {whole_number_sql("refund_limitation_years", "d.day")}::int * interval '1 year')::date
           END AS nth
    FROM due d
), ends AS (
    SELECT t.*, (t.last_day + 1)::timestamp AT TIME ZONE 'Europe/Minsk' AS overdue_at,
           ((SELECT min(w.day) FROM generate_series(t.nth, t.nth + 30, interval '1 day') AS w(day)
             WHERE NOT EXISTS (SELECT FROM core_nonworkingday n WHERE n.day = w.day::date))::date + 1)::timestamp
           AT TIME ZONE 'Europe/Minsk' AS decidable_at
    FROM terms t
)
SELECT p.code, e.tickets, e.amount, e.since, e.overdue_at, COALESCE(e.decidable_at <= %(now)s, false)
FROM ends e JOIN pools_pool p ON p.id = e.pool_id
WHERE e.overdue_at <= %(now)s ORDER BY e.since, p.code
"""


def late_refunds(now: datetime) -> list[Line]:
    """Return the pools whose returned stakes are overdue, a line for each day on which they became due."""
    with connection.cursor() as cursor:
        cursor.execute(_LATE, {"now": now})
        return [
            Line(_told(code, tickets, amount, decidable=decidable), since, overdue_at)
            for code, tickets, amount, since, overdue_at, decidable in cursor.fetchall()
        ]


def _told(code: str, tickets: int, amount: int, *, decidable: bool) -> str:
    told = _("%(pool)s: tickets: %(tickets)s, %(amount)s") % {
        "pool": code,
        "tickets": tickets,
        "amount": format_byn(amount),
    }
    lapses = _("may go to the jackpot by a decision of two (D-12)")
    return f"{told}; {lapses}" if decidable else told
