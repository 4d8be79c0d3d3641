"""Crediting game accounts and cards with what is owed to them, and drawing up payment orders: a job (¶12, ¶40-42)."""

from accounts.ledger.posting import post_many
from accounts.models import LedgerAccount
from payouts.locks import lock_creditable
from payouts.models import Payable, PayableState, Payment
from payouts.queries.corrections import is_being_corrected
from payouts.queries.disputes import disputed_tickets
from payouts.services.card_credits import creditable_now
from payouts.services.paying import open_desk, settle_payables, stakes_of
from payouts.services.transfer_orders import draw_up_orders
from pools.locks import find_pool
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

CHUNK = 1_000


def credit_accounts(*, code: str, chunk: int = CHUNK, actor: str = "task:credit_accounts") -> int:
    """Pay what the pool owes to game accounts and cards and may be paid by now; return how many payments were made.

    Each chunk is a transaction of its own: killed anywhere and run again, alone or beside another run, every payable
    is paid once (C22). Nothing is credited before the term begins (¶12), and crediting is the organizer's own act, so
    that it is never too late for it.

    :raises DomainError: NOT_FOUND.
    """
    pool, paid = find_pool(code), 0
    while (made := _credit_chunk(pool, chunk, actor)) is not None:
        paid += made
    return paid


def _credit_chunk(pool: Pool, limit: int, actor: str) -> int | None:
    """Pay a chunk and return how many payments were made; None when nothing is due, or may be paid now."""
    with one_transaction():
        if is_being_corrected(pool.pk):
            return None
        at = clock.now()
        due = lock_creditable(pool, now=at, limit=limit)
        if not due:
            return None
        # A new statement, which sees what was disputed while the rows were looked for.
        disputed = disputed_tickets(pool.pk, [payable.ticket for payable in due])
        undisputed = [payable for payable in due if payable.ticket not in disputed]
        payables = creditable_now(undisputed, at=at, actor=actor)
        if not payables:
            return 0
        desk, stakes = open_desk(pool, at=at), stakes_of(pool, payables)
        paid = [desk.pay(payable, stake=stakes[payable.ticket], to=_account(payable)) for payable in payables]
        payments = [payment for payment, _transfer in paid]
        Payment.objects.bulk_create(payments)
        draw_up_orders(pool, payments, at=at, actor=actor)
        settle_payables(payables, PayableState.PAID, at=at)
        # Last: who has won can bet elsewhere until the accounts are held, and does not wait for the rest (C29).
        post_many([transfer for _payment, transfer in paid])
        write_journal(
            at=at,
            actor=actor,
            act="credit_accounts",
            subject=f"pool:{pool.code}",
            after={
                "rows": len(payments),
                "gross": sum(payment.gross for payment in payments),
                "tax": sum(payment.tax for payment in payments),
                "net": sum(payment.net for payment in payments),
            },
        )
    return len(payments)


def _account(payable: Payable) -> LedgerAccount:
    assert payable.pay_to is not None
    return payable.pay_to
