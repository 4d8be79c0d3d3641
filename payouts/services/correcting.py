"""Making what is owed on tickets agree with a pool's correction: once, whole, and tied to the ledger (H5, I10).

What is not paid yet is corrected; what was paid too little is made good; what was paid too much stays paid, as a case
that two people decide. The organizer bears the difference: it is the organizer's commission that erred.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance, entries_balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, NewTransfer, ledger_account, post_many
from accounts.models import JackpotGame
from accounts.queries.jackpots import heir_of
from payouts.locks import lock_all_payables
from payouts.models import WINNINGS, CorrectionBooking, CorrectionOutcome, Payable, PayableKind
from payouts.services.booking import UNLESS_WISHED, BookingDiffers, book_payables, insert_refunds
from pools.locks import lock_jackpot, lock_pool
from pools.models import Correction, Pool, Settlement, SettlementState, jackpot_owner
from pools.queries.corrections import CHANGED_SQL, changed_parameters
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import parse_json

# What was made of each ticket is found under the locks of all that is owed. A bet that was cancelled for a breach after
# the settlement has its stake and no winning, whatever the result (¶29).
_FIND = f"""
INSERT INTO payouts_correctedpayable (pool_id, ticket, kind, before, after, outcome, moved, overpaid)
SELECT %(pool)s, c.ticket, c.kind, c.before, c.after, o.outcome,
       CASE WHEN o.outcome IN ('amended', 'revoked', 'added', 'made_good') THEN c.after - c.before ELSE 0 END,
       CASE o.outcome WHEN 'overpaid' THEN c.before - c.after ELSE 0 END
FROM ({CHANGED_SQL}) c
LEFT JOIN payouts_payable y ON y.pool_id = %(pool)s AND y.ticket = c.ticket AND y.kind = c.kind
CROSS JOIN LATERAL (SELECT CASE
    WHEN EXISTS (SELECT FROM pools_betcancellation x
                 WHERE x.pool_id = %(pool)s AND x.ticket = c.ticket AND x.cancelled_when = 'after') THEN 'left'
    WHEN y.ticket IS NULL THEN 'added'
    WHEN y.state = 'due' THEN CASE WHEN c.after > 0 THEN 'amended' ELSE 'revoked' END
    WHEN c.after > c.before THEN 'made_good'
    WHEN y.state = 'paid' THEN 'overpaid'
    ELSE 'kept' END AS outcome) o
"""
_OF_CORRECTED = """
FROM payouts_correctedpayable c
WHERE c.pool_id = %(pool)s AND c.outcome = %(outcome)s AND y.state = 'due'
  AND (y.pool_id, y.ticket, y.kind) = (c.pool_id, c.ticket, c.kind)
"""
_AMEND = f"UPDATE payouts_payable y SET amount = c.after {_OF_CORRECTED}"
_REVOKE = f"UPDATE payouts_payable y SET state = 'revoked', settled_at = %(at)s {_OF_CORRECTED}"
_ADD = f"""
INSERT INTO payouts_payable (pool_id, ticket, kind, amount, state, pay_to_id, payable_from, payable_until)
SELECT b.pool_id, b.ticket, CASE c.outcome WHEN 'made_good' THEN 'correction' ELSE 'winning' END, c.moved, 'due',
       {UNLESS_WISHED}, %(payable_from)s, %(payable_until)s
FROM payouts_correctedpayable c JOIN pools_bet b ON b.pool_id = c.pool_id AND b.ticket = c.ticket
WHERE c.pool_id = %(pool)s AND c.kind = 'winning' AND c.outcome IN ('added', 'made_good')
"""
# Nobody could come for a winning while the result was being corrected, so every term begins anew.
_PROLONG = """
UPDATE payouts_payable SET payable_until = %(payable_until)s
WHERE pool_id = %(pool)s AND state = 'due' AND payable_until < %(payable_until)s
"""


def apply_correction(*, code: str, actor: str = "task:apply_correction") -> CorrectionBooking:
    """Apply a pool's official correction to what is owed, in one transaction; called again it returns what was booked.

    :raises DomainError: NOT_FOUND; WRONG_STATE unless the pool has an official correction.
    :raises BookingDiffers: when what is owed is not what the settlement says, or not what the ledger has: nothing of it
        is committed.
    """
    with one_transaction():
        pool = lock_pool(code)
        standing = CorrectionBooking.objects.filter(pool=pool).first()
        if standing is not None:
            return standing
        correction = Correction.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
        if correction is None:
            raise DomainError(Refusal.WRONG_STATE, _("This pool has no official correction."), state=pool.state)
        book_payables(code=code, actor=actor)
        for game in JackpotGame.values:  # the jackpot of a game that ended is another one's (J3)
            lock_jackpot(game)
        lock_all_payables(pool)
        at = clock.now()
        _run(_FIND, changed_parameters(pool))
        _refuse_differing(pool)
        booking = _booked(pool, correction, at)
        _change_payables(pool, correction, at)
        post_many(list(_transfers(pool, booking)))
        _refuse_untied(pool)
        correction.applied_at = at
        correction.save(update_fields=["applied_at"])
        sums = {name: getattr(booking, name) for name in _SUMS}
        write_journal(
            at=at,
            actor=actor,
            act="apply_correction",
            subject=f"pool:{code}",
            after={"rows": pool.corrected_payables.count(), **sums},
        )
    return booking


_SUMS = (
    "winnings_added",
    "winnings_taken",
    "refunds_added",
    "refunds_taken",
    "takeout",
    "jackpot",
    "jackpot_short",
    "overpaid",
)


def _booked(pool: Pool, correction: Correction, at: datetime) -> CorrectionBooking:
    """Note what the tickets' rows come to, and what takeout and jackpot are to gain or give up."""
    assert correction.payable_until is not None
    moved = pool.corrected_payables.aggregate(
        winnings_added=Sum("moved", filter=Q(kind=PayableKind.WINNING, moved__gt=0), default=0),
        winnings_taken=-Sum("moved", filter=Q(kind=PayableKind.WINNING, moved__lt=0), default=0),
        refunds_added=Sum("moved", filter=Q(kind=PayableKind.REFUND, moved__gt=0), default=0),
        refunds_taken=-Sum("moved", filter=Q(kind=PayableKind.REFUND, moved__lt=0), default=0),
        overpaid=Sum("overpaid", default=0),
    )
    before = _statement(Settlement.objects.get(pool=pool).statement_text)
    after = _statement(correction.statement_text)
    jackpot = int(after["jackpot_out"]) - int(before["jackpot_out"])
    held = balance(ledger_account(AccountKind.JACKPOT, heir_of(jackpot_owner(pool.game))))
    given = max(jackpot, -held)
    return CorrectionBooking.objects.create(
        pool=pool,
        **{name: int(amount) for name, amount in moved.items()},
        takeout=int(after["takeout"]) - int(before["takeout"]),
        jackpot=given,
        jackpot_short=given - jackpot,
        payable_until=correction.payable_until,
        booked_at=at,
    )


def _change_payables(pool: Pool, correction: Correction, at: datetime) -> None:
    for statement, outcome in ((_AMEND, CorrectionOutcome.AMENDED), (_REVOKE, CorrectionOutcome.REVOKED)):
        wanted = pool.corrected_payables.filter(outcome=outcome).count()
        changed = _run(statement, {"pool": pool.pk, "outcome": outcome, "at": at})
        assert changed == wanted, f"pool {pool.code}: {changed} of {wanted} {outcome}"
    term = {"payable_from": correction.payable_from, "payable_until": correction.payable_until}
    orders_due = ledger_account(AccountKind.ORDERS_DUE).pk
    _run(_ADD, {"pool": pool.pk, "orders_due": orders_due, **term})
    returned = pool.corrected_payables.filter(kind=PayableKind.REFUND, outcome=CorrectionOutcome.ADDED)
    insert_refunds(pool, from_=at, tickets=list(returned.values_list("ticket", flat=True)))
    _run(_PROLONG, {"pool": pool.pk, **term})


def _transfers(pool: Pool, booking: CorrectionBooking) -> Iterator[NewTransfer]:
    """Yield a transfer for each reason; what is made good comes from the organizer, what is taken back goes there."""
    organizer = ledger_account(AccountKind.ORGANIZER)
    winnings = ledger_account(AccountKind.WINNINGS_DUE, pool.code)
    refunds = ledger_account(AccountKind.REFUNDS_DUE, pool.code)
    takeout = ledger_account(AccountKind.TAKEOUT, pool.code)
    jackpot = ledger_account(AccountKind.JACKPOT, heir_of(jackpot_owner(pool.game)))
    moves = (
        ("correct:winnings-added", TransferKind.CORRECTION_ADDED, winnings, booking.winnings_added),
        ("correct:winnings-taken", TransferKind.CORRECTION_TAKEN, winnings, -booking.winnings_taken),
        ("correct:refunds-added", TransferKind.CORRECTION_ADDED, refunds, booking.refunds_added),
        ("correct:refunds-taken", TransferKind.CORRECTION_TAKEN, refunds, -booking.refunds_taken),
        ("correct:takeout", TransferKind.CORRECTION_TAKEOUT, takeout, booking.takeout),
        ("correct:jackpot", TransferKind.JACKPOT_CORRECTED, jackpot, booking.jackpot),
    )
    for key, kind, account, amount in moves:
        if amount:
            debit, credit = (organizer, account) if amount > 0 else (account, organizer)
            yield NewTransfer(
                book=pool.pk,
                key=key,
                kind=kind,
                occurred_at=booking.booked_at,
                cause=f"pool:{pool.code}",
                movements=[Movement(debit, credit, abs(amount))],
            )


def _refuse_differing(pool: Pool) -> None:
    """Every row of the settlement that is corrected is owed as the settlement says, or was never owed."""
    differing = """
    SELECT c.ticket FROM payouts_correctedpayable c JOIN payouts_payable y USING (pool_id, ticket, kind)
    WHERE c.pool_id = %s AND c.outcome <> 'left' AND y.amount <> c.before
    """
    with connection.cursor() as cursor:
        cursor.execute(differing, [pool.pk])
        tickets = [ticket for (ticket,) in cursor.fetchall()]
    if tickets:
        raise BookingDiffers(f"pool {pool.code}: {tickets[0]} is not owed what its settlement says")


def _refuse_untied(pool: Pool) -> None:
    """What is due on tickets is what the ledger has set aside for it."""
    for debt, kinds in ((AccountKind.WINNINGS_DUE, WINNINGS), (AccountKind.REFUNDS_DUE, (PayableKind.REFUND,))):
        due = Payable.objects.filter(pool=pool, state="due", kind__in=kinds).aggregate(total=Sum("amount", default=0))
        set_aside = entries_balance(ledger_account(debt, pool.code), book=pool.pk)
        if due["total"] != set_aside:
            raise BookingDiffers(f"pool {pool.code}: {due['total']} due on tickets for {set_aside} of {debt}")


def _statement(text: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = parse_json(text.encode(), where="statement.json")
    return document


def _run(statement: str, values: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, dict(values))
        return int(cursor.rowcount)
