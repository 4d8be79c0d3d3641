"""What decides whether a desk may sell or pay, in one reading (¶7, ¶9.4, ¶9.6)."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import connection

from accounts.models import TakingsAgreement, Till

_STANDING = """
SELECT p.enabled, t.enabled, s.opened_at,
       (SELECT c.valid_until >= %(day)s FROM accounts_equipmentcertificate c
        WHERE c.valid_from <= %(day)s AND CASE WHEN %(terminal)s::bigint IS NULL
              THEN c.till_id = t.id ELSE c.terminal_id = %(terminal)s END
        ORDER BY c.id DESC LIMIT 1),
       (SELECT l.amount FROM accounts_cashlimit l WHERE l.point_id = p.id AND l.valid_from <= %(day)s
        ORDER BY l.valid_from DESC, l.id DESC LIMIT 1),
       m.enabled, m.seen_at, g.id IS NULL OR %(day)s BETWEEN g.valid_from AND g.valid_until, u.is_active
FROM accounts_till t JOIN accounts_bettingpoint p ON p.id = t.point_id
LEFT JOIN accounts_agent g ON g.id = p.agent_id
LEFT JOIN accounts_user u ON u.id = t.cashier_id
LEFT JOIN accounts_shift s ON s.till_id = t.id AND s.closed_at IS NULL
LEFT JOIN accounts_terminal m ON m.id = %(terminal)s AND m.till_id = t.id
WHERE t.id = %(till)s
"""


@dataclass(frozen=True, slots=True)
class DeskStanding:
    """A till, the terminal at it if one is used, and their point, as they are now; `cash_limit` in kopecks."""

    point_enabled: bool
    till_enabled: bool
    shift_opened_at: datetime | None
    certified: bool
    cash_limit: int | None
    terminal_enabled: bool
    terminal_seen_at: datetime | None
    contract_runs: bool
    """Whether it is a point of the organizer's own, or its agent's contract is in date (¶35.1)."""
    cashier_active: bool
    """Whether the till has a cashier, who has not been dismissed."""


def desk_standing(till_id: int, terminal_id: int | None, day: date) -> DeskStanding:
    """Read how a till stands on the legal day `day`; of equipment and limits the newest that has begun counts."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"till": till_id, "terminal": terminal_id, "day": day})
        point, till, opened_at, certified, limit, terminal, seen_at, contract, cashier = cursor.fetchone()
    return DeskStanding(
        point, till, opened_at, bool(certified), limit, bool(terminal), seen_at, contract, bool(cashier)
    )


def cash_at_point(point_id: int) -> int:
    """Return the cash in all tills of a point, in kopecks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COALESCE(sum(a.debits - a.credits), 0) FROM accounts_till t"
            " JOIN accounts_ledgeraccount a ON a.id = t.ledger_account_id WHERE t.point_id = %s",
            [point_id],
        )
        (cash,) = cursor.fetchone()
    return int(cash)


def agreement_on_takings(till: Till, day: date) -> TakingsAgreement | None:
    """Return the bank's agreement under which the till may pay out of takings on that day (¶9.7), if one holds.

    One made for the point goes before one for all points, even when it has ended: so it is taken away from one point.
    Of each the newest that has begun counts.
    """
    for point_id in (till.point_id, None):
        begun = TakingsAgreement.objects.filter(point_id=point_id, valid_from__lte=day).order_by("-pk").first()
        if begun is not None:
            return begun if begun.valid_until >= day else None
    return None
