"""Crediting game accounts and cards with what is owed to them, and drawing up payment orders: a job (¶12, ¶40-42)."""

from collections.abc import Sequence

from django.db import connection

from accounts.ledger.posting import post_many
from payouts.locks import BEFORE_ALL, Creditable, lock_creditable
from payouts.models import PayableState, PaymentMethod
from payouts.queries.corrections import is_being_corrected
from payouts.queries.disputes import disputed_tickets
from payouts.services.card_credits import creditable_now
from payouts.services.paying import Desk, Reckoned, open_desk, settle_payables, stakes_of
from payouts.services.transfer_orders import draw_up_orders
from pools.locks import find_pool
from pools.models import Pool
from totalizator.core import clock
from totalizator.core.columns import array, unnested
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

CHUNK = 4_000
"""Payments in one transaction. It holds the players' accounts only from its last statement on, a tenth of a second."""

_PAY = f"""
INSERT INTO payouts_payment (pool_id, ticket, kind, method, gross, tax, net, rounded, paid_at)
SELECT %(pool)s, k.*, %(at)s FROM {
    unnested(ticket="text", kind="text", method="text", gross="bigint", tax="bigint", net="bigint", rounded="bigint")
}
"""


def credit_accounts(*, code: str, chunk: int = CHUNK, actor: str = "task:credit_accounts") -> int:
    """Pay what the pool owes to game accounts and cards and may be paid by now; return how many payments were made.

    It goes once through all that is owed, in the order of the tickets, and leaves what another run is at. Each chunk is
    a transaction of its own: killed anywhere and run again, alone or beside another run, every payable is paid once
    (C22). Nothing is credited before the term begins (¶12), and crediting is the organizer's own act, so
    that it is never too late for it.

    :raises DomainError: NOT_FOUND.
    """
    pool, paid, after = find_pool(code), 0, BEFORE_ALL
    while True:
        due, made = _credit_chunk(pool, chunk, after, actor)
        if not due:
            return paid
        paid, after = paid + made, (due[-1].ticket, due[-1].kind)


def _credit_chunk(pool: Pool, limit: int, after: tuple[str, str], actor: str) -> tuple[Sequence[Creditable], int]:
    """Pay what of the next chunk may be paid; return the chunk, empty behind the last one, and how many were paid."""
    with one_transaction():
        if is_being_corrected(pool.pk):
            return (), 0
        at = clock.now()
        due = lock_creditable(pool, now=at, limit=limit, after=after)
        if not due:
            return (), 0
        # A new statement, which sees what was disputed while the rows were looked for.
        disputed = disputed_tickets(pool.pk, [payable.ticket for payable in due])
        undisputed = [payable for payable in due if payable.ticket not in disputed]
        payables = creditable_now(undisputed, at=at, actor=actor)
        if not payables:
            return due, 0
        desk, stakes = open_desk(pool, at=at), stakes_of(pool, payables)
        paid = [
            (payable, desk.reckon(payable.kind, payable.amount, stake=stakes[payable.ticket], way=payable.pay_to.kind))
            for payable in payables
        ]
        _write_payments(desk, paid)
        by_bank = [desk.payment(*each) for each in paid if each[1].method == PaymentMethod.TRANSFER]
        draw_up_orders(pool, by_bank, at=at, actor=actor)
        settle_payables(payables, PayableState.PAID, at=at)
        write_journal(
            at=at,
            actor=actor,
            act="credit_accounts",
            subject=f"pool:{pool.code}",
            after={
                "rows": len(paid),
                "gross": sum(reckoned.gross for _payable, reckoned in paid),
                "tax": sum(reckoned.tax for _payable, reckoned in paid),
                "net": sum(reckoned.net for _payable, reckoned in paid),
            },
        )
        # Last: from here on the players' accounts are held.
        post_many([desk.transfer(payable, reckoned, to=payable.pay_to) for payable, reckoned in paid])
    return due, len(paid)


def _write_payments(desk: Desk, paid: Sequence[tuple[Creditable, Reckoned]]) -> None:
    """Write a row for each payment, all by one statement."""
    reckoned = [each for _payable, each in paid]
    with connection.cursor() as cursor:
        cursor.execute(
            _PAY,
            {
                "pool": desk.pool.pk,
                "at": desk.at,
                "ticket": array("text", [payable.ticket for payable, _each in paid]),
                "kind": array("text", [payable.kind for payable, _each in paid]),
                "method": array("text", [str(each.method) for each in reckoned]),
                "gross": array("bigint", [each.gross for each in reckoned]),
                "tax": array("bigint", [each.tax for each in reckoned]),
                "net": array("bigint", [each.net for each in reckoned]),
                "rounded": array("bigint", [each.rounded for each in reckoned]),
            },
        )
