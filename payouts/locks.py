"""Locks of this app. The order of all locks: docs/locking.md (a payable before any ledger account)."""

from datetime import datetime

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from payouts.models import LIVE, OPEN_DISPUTES, WINNINGS, Dispute, Payable, PayableState, TicketClaim
from pools.models import Pool
from totalizator.core.advisory import LockSpace, lock_named


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


def lock_creditable(pool: Pool, *, now: datetime, limit: int) -> list[Payable]:
    """Lock up to `limit` payables that go to an account and may be paid by `now`; leave what another job holds."""
    payables = Payable.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).select_related("pay_to")
    due = payables.filter(pool=pool, state=PayableState.DUE, pay_to__isnull=False, payable_from__lte=now)
    disputes = Dispute.objects.filter(pool=OuterRef("pool"), ticket=OuterRef("ticket"), state__in=OPEN_DISPUTES)
    return list(due.filter(~Exists(disputes)).order_by("ticket", "kind")[:limit])


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
