"""Which bets of a pool were cancelled for a breach of the rules (¶29)."""

from django.db.models import Exists, OuterRef, QuerySet, Sum

from pools.models import Bet, BetCancellation, CancelledWhen, Pool


def cancelled_tickets(pool: Pool) -> tuple[str, ...]:
    """Return the tickets that were cancelled before the settlement, in the order of their bytes."""
    rows = BetCancellation.objects.filter(pool=pool, cancelled_when=CancelledWhen.BEFORE)
    return tuple(sorted(rows.values_list("ticket", flat=True)))


def stakes_returned(pool: Pool) -> int:
    """Return the stakes, in kopecks, that have left the pool's pot for bets cancelled before the settlement."""
    rows = BetCancellation.objects.filter(pool=pool, cancelled_when=CancelledWhen.BEFORE)
    return int(rows.aggregate(total=Sum("stake", default=0))["total"])


def bets_in_division() -> QuerySet[Bet]:
    """Return the bets of all pools but those that were cancelled before the settlement."""
    cancelled = BetCancellation.objects.filter(
        pool=OuterRef("pool"), ticket=OuterRef("ticket"), cancelled_when=CancelledWhen.BEFORE
    )
    return Bet.objects.filter(~Exists(cancelled))
