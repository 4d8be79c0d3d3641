"""Until when a pool's winnings can be claimed: by its settlement, or as it was extended (¶12, ¶40, K2)."""

from datetime import datetime

from payouts.models import TermExtension
from pools.models import Pool, Settlement, SettlementState


def claim_end_of(pool: Pool) -> datetime | None:
    """Return the end of the term, exclusive; None before the settlement is official."""
    settled = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).values_list(
        "payable_until", flat=True
    )
    end = settled.first()
    extension = latest_extension(pool)
    return max(end, extension.payable_until) if end is not None and extension is not None else end


def latest_extension(pool: Pool) -> TermExtension | None:
    """Return the extension that holds, if the term was extended."""
    approved = TermExtension.objects.filter(pool=pool, decision__isnull=False)
    return approved.order_by("-payable_until").first()
