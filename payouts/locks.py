"""Locks of this app. The order of all locks: docs/locking.md (a payable before any ledger account)."""

from datetime import datetime

from payouts.models import Payable, PayableKind, PayableState
from pools.models import Pool


def lock_payables_of(pool_id: int, ticket: str) -> list[Payable]:
    """Lock what was ever owed on a ticket until the transaction ends; read again after the lock."""
    payables = Payable.objects.select_for_update(no_key=True, of=("self",)).select_related("pay_to")
    return list(payables.filter(pool_id=pool_id, ticket=ticket).order_by("kind"))


def lock_creditable(pool: Pool, *, now: datetime, limit: int) -> list[Payable]:
    """Lock up to `limit` payables that go to an account and may be paid by `now`; leave what another job holds."""
    payables = Payable.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).select_related("pay_to")
    due = payables.filter(pool=pool, state=PayableState.DUE, pay_to__isnull=False, payable_from__lte=now)
    return list(due.order_by("ticket", "kind")[:limit])


def lock_unclaimed(pool: Pool, *, now: datetime, limit: int) -> list[Payable]:
    """Lock up to `limit` winnings that somebody had to come for, whose term is over by `now`.

    Waits for a till that is just paying one, and then does not see it: the state is read after the lock.
    """
    payables = Payable.objects.select_for_update(no_key=True)
    unclaimed = payables.filter(
        pool=pool, kind=PayableKind.WINNING, state=PayableState.DUE, pay_to__isnull=True, payable_until__lte=now
    )
    return list(unclaimed.order_by("ticket")[:limit])
