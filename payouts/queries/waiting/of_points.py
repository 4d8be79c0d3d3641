"""What betting points need: papers that end, and cash that nears what the bank allows (¶7, ¶9.4, ¶9.6)."""

from datetime import datetime

from django.db import connection
from django.utils.translation import gettext as _

from accounts.queries.point_documents import Expiry, expiring
from payouts.queries.waiting.shape import Line
from totalizator.core.legal import legal_numbers
from totalizator.core.money import format_byn
from totalizator.engine.deadlines import end_of_legal_day, legal_day

NEAR_OF_FIVE = 4
"""From so many fifths of its limit on a point's cash is told of."""

_CASH = """
SELECT p.code, t.cash, l.amount
FROM accounts_bettingpoint p
CROSS JOIN LATERAL (SELECT amount FROM accounts_cashlimit c WHERE c.point_id = p.id AND c.valid_from <= %(day)s
                    ORDER BY c.valid_from DESC, c.id DESC LIMIT 1) l
CROSS JOIN LATERAL (SELECT COALESCE(sum(a.debits - a.credits), 0)::bigint AS cash FROM accounts_till k
                    JOIN accounts_ledgeraccount a ON a.id = k.ledger_account_id WHERE k.point_id = p.id) t
WHERE t.cash > 0 AND t.cash * 5 >= l.amount * %(near)s
ORDER BY l.amount - t.cash, p.code
"""


def expiring_documents(now: datetime) -> list[Line]:
    """Documents, certificates, contracts and agreements that end within the dated number of days, or are missing."""
    within = int(legal_numbers(now)["expiry_warning_days"])
    found = expiring(legal_day(now), within=within)
    return sorted(
        (Line(_told(paper), None, end_of_legal_day(paper.last_day) if paper.last_day else None) for paper in found),
        key=lambda line: (line.due or now, line.about),
    )


def cash_near_limits(now: datetime) -> list[Line]:
    """Points whose cash is near what the bank allows, or over it."""
    with connection.cursor() as cursor:
        cursor.execute(_CASH, {"day": legal_day(now), "near": NEAR_OF_FIVE})
        return [
            Line(_("%(point)s: %(cash)s of %(limit)s") % {"point": code, **_amounts(cash, limit)})
            for code, cash, limit in cursor.fetchall()
        ]


def _told(paper: Expiry) -> str:
    told, missing = f"{paper.subject}, {paper.what}", _("missing")
    return told if paper.last_day else f"{told}: {missing}"


def _amounts(cash: int, limit: int) -> dict[str, str]:
    return {"cash": format_byn(cash), "limit": format_byn(limit)}
