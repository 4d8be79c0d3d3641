"""Until when a pool's winnings can be claimed: by its settlement, as corrected or extended (¶12, ¶40, K2)."""

from datetime import datetime

from payouts.models import CorrectionBooking, TermExtension
from pools.models import Pool, Settlement, SettlementState


def claim_end_of(pool: Pool) -> datetime | None:
    """Return the end of the term, exclusive; None before the settlement is official."""
    settled = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).values_list(
        "payable_until", flat=True
    )
    corrected = CorrectionBooking.objects.filter(pool=pool).values_list("payable_until", flat=True)
    extension = latest_extension(pool)
    extended = extension.payable_until if extension is not None else None
    return max((end for end in (settled.first(), corrected.first(), extended) if end is not None), default=None)


def latest_extension(pool: Pool) -> TermExtension | None:
    """Return the extension that holds, if the term was extended."""
    approved = TermExtension.objects.filter(pool=pool, decision__isnull=False)
    return approved.order_by("-payable_until").first()
