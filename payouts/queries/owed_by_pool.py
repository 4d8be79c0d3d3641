"""What is still to be paid, pool by pool: winnings nobody has come for, and stakes to be returned (K2, L1)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q, QuerySet, Sum

from accounts.ledger.kinds import AccountKind
from accounts.ledger.models import Entry, LedgerAccount
from payouts.models import WINNINGS, Payable, PayableKind, PayableState


def unpaid_by_pool(*, before: datetime | None = None) -> QuerySet[Any, Any]:
    """Return code, tickets, amount and `until` of every pool whose winnings wait at desks, the earliest end first.

    `before`: only those whose term ends earlier.
    """
    waits = Payable.objects.filter(state=PayableState.DUE, kind__in=WINNINGS, pay_to__isnull=True)
    by_pool = waits.values("pool__code").annotate(
        tickets=Count("ticket"), amount=Sum("amount"), until=Min("payable_until")
    )
    chosen = by_pool if before is None else by_pool.filter(until__lt=before)
    return chosen.order_by("until", "pool__code")


def refunds_by_pool() -> QuerySet[Any, Any]:
    """Return code, tickets, amount, `in_cash` and `since` of every pool with stakes to return, the oldest first."""
    due = Payable.objects.filter(state=PayableState.DUE, kind=PayableKind.REFUND)
    by_pool = due.values("pool__code").annotate(
        tickets=Count("ticket"),
        in_cash=Sum("amount", filter=Q(pay_to__isnull=True), default=0),
        amount=Sum("amount"),  # the last one: after it the name means the sum
        since=Min("payable_from"),
    )
    return by_pool.order_by("since", "pool__code")


def receivables() -> QuerySet[LedgerAccount]:
    """Return the tickets whose paid winning is to be given back, the latest first (¶29, D-3)."""
    return LedgerAccount.objects.filter(kind=AccountKind.RECEIVABLE).order_by("-pk")


def owed_on(accounts: Iterable[LedgerAccount]) -> Mapping[int, int]:
    """Return by account how many kopecks are still to be given back, in two questions however many they are."""
    owed = {account.pk: 0 for account in accounts}
    for side, sign in (("debit", 1), ("credit", -1)):
        sums = Entry.objects.filter(**{f"{side}__in": list(owed)}).values_list(side).annotate(total=Sum("amount"))
        for number, total in sums:
            owed[number] += sign * int(total)
    return owed
