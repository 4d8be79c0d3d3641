"""The numbers of phones that want to be told of a winning: kept by their holders' consent, and no longer (K6)."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from payouts.models import NoticePhone, TextMessage
from payouts.queries.tickets import find_ticket
from payouts.services.text_messages import wipe
from totalizator.core import clock
from totalizator.core.columns import array
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_FORGET = """
DELETE FROM payouts_noticephone n USING unnest(%s::bigint[], %s::text[]) AS k (pool_id, ticket)
WHERE (n.pool_id, n.ticket) = (k.pool_id, k.ticket) RETURNING n.pool_id, n.ticket
"""
_FORGET_LOSERS = """
DELETE FROM payouts_noticephone n WHERE n.pool_id = %s AND NOT EXISTS (
    SELECT FROM payouts_payable y WHERE y.pool_id = n.pool_id AND y.ticket = n.ticket AND y.kind <> 'refund')
"""


def keep_phone(*, pool_id: int, ticket: str, phone: str, at: datetime) -> None:
    """Keep the number that a ticket is bound to, encrypted, in the transaction that binds it."""
    NoticePhone.objects.create(pool_id=pool_id, ticket=ticket, phone=phone, agreed_at=at)


def end_notices(*, ticket: str, check_code: str) -> None:
    """Delete the number kept for a ticket's notices, since who holds it wants none any more; again it does nothing.

    :raises DomainError: WRONG_CODE.
    """
    bet = find_ticket(ticket, check_code)
    with one_transaction():
        at = clock.now()
        if forget_phones([(bet.pool_id, bet.ticket)], at=at):
            write_journal(at=at, actor="anybody", act="end_notices", subject=f"bet:{bet.ticket}")


def forget_phones(tickets: Sequence[tuple[int, str]], *, at: datetime) -> int:
    """Delete the numbers kept for tickets, (pool, ticket), with the messages that wait for them; return how many."""
    with connection.cursor() as cursor:
        pools, numbers = (
            array("bigint", [pool for pool, _ in tickets]),
            array("text", [ticket for _, ticket in tickets]),
        )
        cursor.execute(_FORGET, [pools, numbers])
        forgotten = cursor.fetchall()
    if forgotten:
        causes = [notice_cause(kind, pool_id, ticket) for pool_id, ticket in forgotten for kind in ("won", "ending")]
        # What is being sent this moment is wiped by who sends it: no payment waits for the gateway.
        waiting = TextMessage.objects.select_for_update(no_key=True, skip_locked=True)
        wipe(waiting.filter(cause__in=causes, ended_at__isnull=True), at)
    return len(forgotten)


def forget_losers(pool_id: int) -> None:
    """Delete the numbers kept for tickets of a pool that have won nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_LOSERS, [pool_id])


def notice_cause(kind: str, pool_id: int, ticket: str) -> str:
    """Name what a message to a phone is about: by this name no message is queued twice."""
    return f"{kind}:{pool_id}:{ticket}"
