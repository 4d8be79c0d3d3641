"""Which bets of a pool were cancelled for a breach of the rules (¶29)."""

from pools.models import BetCancellation, CancelledWhen, Pool


def cancelled_tickets(pool: Pool) -> tuple[str, ...]:
    """Return the tickets that were cancelled before the settlement, in the order of their bytes."""
    rows = BetCancellation.objects.filter(pool=pool, cancelled_when=CancelledWhen.BEFORE)
    return tuple(sorted(rows.values_list("ticket", flat=True)))
