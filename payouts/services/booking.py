"""Drawing up what is owed on each ticket of a settled or cancelled pool (¶11, ¶32, ¶41)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection
from django.db.models import Count, Sum
from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import entries_balance
from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from payouts.models import Booking, PayableKind, PayableState
from payouts.queries.ticket_owners import ACCOUNT_WISHED
from payouts.services.notice_phones import forget_losers
from pools.locks import lock_pool
from pools.models import Cancellation, Pool, Settlement, SettlementState
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import parse_json


class BookingDiffers(Exception):
    """What is owed on tickets is not what the ledger set aside: nothing of it is committed."""


_DEBTS = {PayableKind.WINNING: AccountKind.WINNINGS_DUE, PayableKind.REFUND: AccountKind.REFUNDS_DUE}

# ¶41: what goes back goes the way the stake came (`queries/way_back.py`): to the account or card, or by payment order;
# cash waits for who brings the ticket.
_WAY_BACK = """
CASE WHEN b.channel IN ('account', 'card') THEN b.paid_from_id WHEN b.channel = 'transfer' THEN %(orders_due)s END
"""
# Unless the player wished it in cash, in writing, or, whose ticket it is known to be, on the game account (X10).
_WISHED = "EXISTS (SELECT FROM payouts_cashwish x WHERE x.pool_id = b.pool_id AND x.ticket = b.ticket)"
_IN_CASH_IF_WISHED = f"CASE WHEN NOT {_WISHED} THEN {_WAY_BACK} END"
UNLESS_WISHED = f"COALESCE({ACCOUNT_WISHED}, {_IN_CASH_IF_WISHED})"

_WINNINGS = f"""
INSERT INTO payouts_payable (pool_id, ticket, kind, amount, state, pay_to_id, payable_from, payable_until)
SELECT b.pool_id, b.ticket, 'winning', w.amount, 'due',
       CASE WHEN owned.ticket IS NOT NULL THEN {UNLESS_WISHED} ELSE {_IN_CASH_IF_WISHED} END,
       %(payable_from)s, %(payable_until)s
FROM (SELECT ticket, sum(amount) AS amount FROM pools_winning WHERE pool_id = %(pool)s
      GROUP BY ticket HAVING sum(amount) > 0) w
JOIN pools_bet b ON b.pool_id = %(pool)s AND b.ticket = w.ticket
LEFT JOIN payouts_ticketowner owned ON owned.pool_id = %(pool)s AND owned.ticket = w.ticket
"""

_REFUNDS = f"""
INSERT INTO payouts_payable (pool_id, ticket, kind, amount, state, pay_to_id, payable_from)
SELECT b.pool_id, b.ticket, 'refund', b.stake, 'due', {_WAY_BACK}, %(payable_from)s
FROM pools_bet b WHERE b.pool_id = %(pool)s AND (%(everything)s OR b.ticket = ANY(%(tickets)s))
AND NOT EXISTS (SELECT FROM payouts_payable y
                WHERE y.pool_id = b.pool_id AND y.ticket = b.ticket AND y.kind = 'refund')
"""


def book_payables(*, code: str, actor: str = "task:book_payables") -> Booking:
    """Draw up every payable of a pool in one transaction; called again it returns the first booking.

    Winnings have the settlement's term. Refunds (late bets, returned and cancelled pools) are due at once and do not
    expire (D-12).

    :raises DomainError: NOT_FOUND; WRONG_STATE unless the settlement is official or the pool is cancelled.
    :raises BookingDiffers: when the sums are not the ledger's.
    """
    with one_transaction():
        pool = lock_pool(code)
        standing = Booking.objects.filter(pool=pool).first()
        if standing is not None:
            return standing
        _draw_up(pool)
        booking = _summed(pool, at=clock.now())
        forget_losers(pool.pk)
        write_journal(
            at=booking.booked_at,
            actor=actor,
            act="book_payables",
            subject=f"pool:{code}",
            after={"tickets": booking.tickets, "winnings": booking.winnings, "refunds": booking.refunds},
        )
    return booking


def _draw_up(pool: Pool) -> None:
    cancellation = Cancellation.objects.filter(pool=pool).first()
    settlement = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if cancellation is not None:
        insert_refunds(pool, from_=cancellation.cancelled_at, everything=True)
    elif settlement is not None:
        assert settlement.official_at is not None
        tally = parse_json(settlement.tally_text.encode(), where="tally.json")
        statement = parse_json(settlement.statement_text.encode(), where="statement.json")
        _insert_winnings(pool, settlement)
        insert_refunds(
            pool,
            from_=settlement.official_at,
            everything=bool(tally.get("returned", False)),
            tickets=[*statement["late"], *statement["cancelled"]],
        )
    else:
        raise DomainError(
            Refusal.WRONG_STATE, _("Nothing is owed before the settlement is official."), state=pool.state
        )


def _insert_winnings(pool: Pool, settlement: Settlement) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _WINNINGS,
            {
                "pool": pool.pk,
                "orders_due": ledger_account(AccountKind.ORDERS_DUE).pk,
                "payable_from": settlement.payable_from,
                "payable_until": settlement.payable_until,
            },
        )


def insert_refunds(pool: Pool, *, from_: datetime, everything: bool = False, tickets: Sequence[str] = ()) -> None:
    """Write payables of whole stakes, of `everything` or of some tickets, to go back the way they came.

    What went back at once, as the bet was cancelled (¶29), is not owed again.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _REFUNDS,
            {
                "pool": pool.pk,
                "orders_due": ledger_account(AccountKind.ORDERS_DUE).pk,
                "payable_from": from_,
                "everything": everything,
                "tickets": list(tickets),
            },
        )


def _summed(pool: Pool, *, at: datetime) -> Booking:
    """Note what was drawn up, once it agrees with what the pot set aside for it."""
    drawn_up = pool.payables.values_list("kind", "state").annotate(total=Sum("amount"), tickets=Count("*"))
    sums = {(kind, state): (int(amount), tickets) for kind, state, amount, tickets in drawn_up}
    for kind, debt in _DEBTS.items():
        due, _tickets = sums.get((kind, PayableState.DUE), (0, 0))
        set_aside = entries_balance(ledger_account(debt, pool.code), book=pool.pk)
        if due != set_aside:
            raise BookingDiffers(f"pool {pool.code}: {kind} of {due} for {set_aside} set aside")
    booked = {kind: sum(amount for (of, _state), (amount, _) in sums.items() if of == kind) for kind in _DEBTS}
    return Booking.objects.create(
        pool=pool,
        winnings=booked[PayableKind.WINNING],
        refunds=booked[PayableKind.REFUND],
        tickets=sum(tickets for _amount, tickets in sums.values()),
        booked_at=at,
    )
