"""Locks of this app. The order of all locks: docs/locking.md (a payable before any ledger account)."""

from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import LedgerAccount
from payouts.models import LIVE, OPEN_DISPUTES, WINNINGS, Dispute, Payable, PayableState, TicketClaim
from pools.models import Pool
from totalizator.core.advisory import LockSpace, lock_named
from totalizator.core.columns import array


def hold_ticket(pool_id: int, ticket: str) -> None:
    """Hold a ticket alone until the transaction ends: two who claim it at once are told of one another (K4)."""
    lock_named(LockSpace.TICKET, f"{pool_id}:{ticket}")


def lock_payables_of(pool_id: int, ticket: str) -> list[Payable]:
    """Lock what was ever owed on a ticket until the transaction ends; read again after the lock."""
    payables = Payable.objects.select_for_update(no_key=True, of=("self",)).select_related("pay_to")
    return list(payables.filter(pool_id=pool_id, ticket=ticket).order_by("kind"))


def lock_all_payables(pool: Pool) -> None:
    """Lock all that was ever owed on the pool's tickets until the transaction ends, in the order of the tickets."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM payouts_payable WHERE pool_id = %s ORDER BY ticket, kind FOR NO KEY UPDATE", [pool.pk]
        )


class Creditable(NamedTuple):
    """A payable that goes to an account or a card, as it was locked: by the million they are no more than this."""

    pool_id: int
    ticket: str
    kind: str
    amount: int
    pay_to: LedgerAccount


_ACCOUNT = ("id", "kind", "owner", "guarded", "debit_normal", "debits", "credits")
# By itself the server, which knows little of payables that were just drawn up, sorts or hashes all of them each time.
_BY_KEYS = "; ".join(f"SET LOCAL enable_{way} = off" for way in ("seqscan", "sort", "hashjoin", "mergejoin"))
# It begins behind the rows that were looked at before, and reads on in the order of the key.
_CREDITABLE = f"""
SELECT y.ticket, y.kind, y.amount, {", ".join(f"a.{name}" for name in _ACCOUNT)}
FROM payouts_payable y JOIN accounts_ledgeraccount a ON a.id = y.pay_to_id
WHERE y.pool_id = %(pool)s AND (y.ticket, y.kind) > (%(after_ticket)s, %(after_kind)s)
AND y.state = 'due' AND y.payable_from <= %(now)s
AND NOT EXISTS (SELECT FROM payouts_dispute d
                WHERE d.pool_id = y.pool_id AND d.ticket = y.ticket AND d.state = ANY(%(disputed)s::text[]))
ORDER BY y.pool_id, y.ticket, y.kind LIMIT %(limit)s FOR NO KEY UPDATE OF y SKIP LOCKED
"""
BEFORE_ALL = ("", "")


def lock_creditable(pool: Pool, *, now: datetime, limit: int, after: tuple[str, str] = BEFORE_ALL) -> list[Creditable]:
    """Lock up to `limit` payables that go to an account and may be paid by `now`; leave what another job holds.

    `after`: the ticket and kind behind which they are looked for, in the order of both. To the end of the transaction
    rows are found by keys.
    """
    with connection.cursor() as cursor:
        cursor.execute(_BY_KEYS)
        cursor.execute(
            _CREDITABLE,
            {
                "pool": pool.pk,
                "after_ticket": after[0],
                "after_kind": after[1],
                "now": now,
                "limit": limit,
                "disputed": array("text", OPEN_DISPUTES),
            },
        )
        rows = cursor.fetchall()
    accounts = {row[3]: row[3:] for row in rows}
    known = {number: LedgerAccount.from_db(connection.alias, _ACCOUNT, row) for number, row in accounts.items()}
    pool_id = pool.pk
    return [Creditable(pool_id, ticket, kind, amount, known[number]) for ticket, kind, amount, number, *_rest in rows]


def lock_unclaimed(pool: Pool, *, now: datetime, limit: int) -> list[Payable]:
    """Lock up to `limit` winnings that somebody had to come for, whose term is over by `now`.

    Waits for a till that is just paying one, and then does not see it: the state is read after the lock. What is
    claimed as lost is left (K4); of what was claimed this moment the caller asks once more.
    """
    claims = TicketClaim.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), state__in=LIVE)
    disputes = Dispute.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), state__in=OPEN_DISPUTES)
    payables = Payable.objects.select_for_update(no_key=True).filter(~Exists(claims), ~Exists(disputes))
    unclaimed = payables.filter(
        pool=pool, kind__in=WINNINGS, state=PayableState.DUE, pay_to__isnull=True, payable_until__lte=now
    )
    return list(unclaimed.order_by("ticket")[:limit])


def lock_uncollected(refunds: QuerySet[Payable]) -> list[Payable]:
    """Lock refunds that nobody has collected; waits for a till that is just paying one, and then does not see it."""
    return list(refunds.select_for_update(no_key=True, of=("self",)).order_by("ticket"))
