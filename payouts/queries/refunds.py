"""The register of a pool's refunds: every stake that goes back, by its channel, and where it stands (L1, L2, D-12).

Which stakes go back is read from the decisions about the pool and its bets, neither from what was paid nor from the
ledger: so the three prove one another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Sum, TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.models import Entry
from payouts.queries.certificates import Figure
from payouts.queries.refund_terms import refund_deadlines
from payouts.queries.reports.facts import VOIDED
from pools.models import Pool


class RefundWay(TextChoices):
    """Which way a stake came, and goes back (¶41)."""

    ACCOUNT = "account", _("game account")
    CARD = "card", _("prepaid card")
    CASH = "cash", _("cash at a point of the organizer's")
    AGENT = "agent", _("cash at an agent's point")
    PAPER = "paper", _("paper form at a betting point")
    TRANSFER = "transfer", _("bank or postal transfer")


class RefundReason(TextChoices):
    """Why a stake goes back."""

    CANCELLED_POOL = "cancelled_pool", _("the pool was cancelled")
    RETURNED_POOL = "returned_pool", _("nothing came to be settled, or the pool was under its minimum")
    LATE = "late", _("the bet came after the actual start")
    CANCELLED_BET = "cancelled_bet", _("the bet was cancelled (¶29)")
    CORRECTED = "corrected", _("a correcting protocol returns it")


class RefundState(TextChoices):
    """Where a refund stands."""

    DECIDED = "decided", _("decided, not drawn up yet")
    DUE = "due", _("to be paid")
    OVERDUE = "overdue", _("to be paid, overdue")
    PAID = "paid", _("paid")
    LAPSED = "lapsed", _("not collected: in the jackpot")
    REVOKED = "revoked", _("taken back by a correcting protocol")


@dataclass(frozen=True, slots=True)
class RefundRow:
    """One stake that goes back, in kopecks. `settled_at`: when it was paid, or lapsed; `method`: how it was paid."""

    ticket: str
    way: RefundWay
    reason: RefundReason
    amount: int
    due_from: datetime
    deadline: datetime
    state: RefundState
    method: str
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class RefundTotals:
    """How many refunds and kopecks: all, and by where they stand."""

    tickets: int
    amount: int
    by_state: Mapping[RefundState, int]


@dataclass(frozen=True, slots=True)
class RefundRegister:
    """The refunds of one pool at an instant; `figures` count each sum twice, by these rows and by the ledger."""

    pool: str
    at: datetime
    rows: Sequence[RefundRow]
    figures: Mapping[str, Figure]

    @property
    def total(self) -> RefundTotals:
        """The sums over all rows."""
        return _totals(self.rows)

    @property
    def by_way(self) -> Mapping[RefundWay, RefundTotals]:
        """The sums of each way that has any."""
        ways = {way: [row for row in self.rows if row.way == way] for way in RefundWay}
        return {way: _totals(rows) for way, rows in ways.items() if rows}

    @property
    def holds(self) -> bool:
        """Whether the ledger says of every sum what the rows say."""
        return all(figure.agrees for figure in self.figures.values())


# What goes back is found first: most pools return nothing, and then none of their bets is read.
_ROWS = f"""
WITH returned AS MATERIALIZED (
    SELECT v.ticket, v.why, v.at FROM ({VOIDED}) v WHERE v.pool_id = %(pool)s
    UNION ALL
    SELECT c.ticket, 'corrected', g.booked_at
    FROM payouts_correctedpayable c JOIN payouts_correctionbooking g USING (pool_id)
    WHERE c.pool_id = %(pool)s AND c.kind = 'refund' AND c.outcome = 'added'
)
SELECT r.ticket, CASE WHEN b.channel = 'cash' AND i.kind = 'agent' THEN 'agent' ELSE b.channel END, r.why, b.stake,
       COALESCE(y.payable_from, r.at), COALESCE(y.state, 'decided'), COALESCE(p.method, ''), y.settled_at
FROM returned r
JOIN pools_bet b ON b.pool_id = %(pool)s AND b.ticket = r.ticket
LEFT JOIN accounts_till t ON t.id = b.till_id LEFT JOIN accounts_bettingpoint i ON i.id = t.point_id
LEFT JOIN payouts_payable y ON y.pool_id = %(pool)s AND y.ticket = r.ticket AND y.kind = 'refund'
LEFT JOIN payouts_payment p ON p.pool_id = %(pool)s AND p.ticket = r.ticket AND p.kind = 'refund'
ORDER BY 2, r.ticket
"""

_OPEN = (RefundState.DECIDED, RefundState.DUE, RefundState.OVERDUE)


def refund_register(pool: Pool, *, at: datetime) -> RefundRegister:
    """Return the register as it stands at `at`, which says what is overdue."""
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, {"pool": pool.pk})
        found = cursor.fetchall()
    deadlines = refund_deadlines({row[4] for row in found})
    rows = [
        RefundRow(
            ticket=ticket,
            way=RefundWay(way),
            reason=RefundReason(why),
            amount=int(stake),
            due_from=since,
            deadline=deadlines[since],
            state=_state(state, deadlines[since], at),
            method=method,
            settled_at=settled_at,
        )
        for ticket, way, why, stake, since, state, method, settled_at in found
    ]
    return RefundRegister(pool.code, at, rows, _figures(pool, rows))


def _state(state: str, deadline: datetime, at: datetime) -> RefundState:
    standing = RefundState(state)
    return RefundState.OVERDUE if standing in _OPEN and at >= deadline else standing


def _totals(rows: Sequence[RefundRow]) -> RefundTotals:
    by_state = {state: sum(row.amount for row in rows if row.state == state) for state in RefundState}
    return RefundTotals(len(rows), sum(row.amount for row in rows), by_state)


def _figures(pool: Pool, rows: Sequence[RefundRow]) -> Mapping[str, Figure]:
    by_rows = {
        "stakes": sum(row.amount for row in rows if row.state != RefundState.REVOKED),
        "paid": sum(row.amount for row in rows if row.state == RefundState.PAID),
        "lapsed": sum(row.amount for row in rows if row.state == RefundState.LAPSED),
        "unpaid": sum(row.amount for row in rows if row.state in _OPEN),
    }
    set_aside, moved = _by_kind(pool, "credit"), _by_kind(pool, "debit")
    by_ledger = {
        "stakes": sum(set_aside.values()) - moved.get(TransferKind.CORRECTION_TAKEN, 0),
        "paid": moved.get(TransferKind.REFUND_PAID, 0),
        "lapsed": moved.get(TransferKind.JACKPOT_REFUND, 0),
        "unpaid": sum(set_aside.values()) - sum(moved.values()),
    }
    return {name: Figure(name, by_ledger[name], by_rows[name]) for name in by_rows}


def _by_kind(pool: Pool, side: str) -> Mapping[str, int]:
    """Return what was set aside for refunds of the pool (credit), or went out of that (debit), by kind of transfer."""
    account = {f"{side}__kind": AccountKind.REFUNDS_DUE, f"{side}__owner": pool.code}
    rows = Entry.objects.filter(book=pool.pk, **account).values_list("transfer__kind").annotate(total=Sum("amount"))
    return {kind: int(total) for kind, total in rows}
