"""Until when a pool's winnings can be claimed: by its settlement, as corrected or extended (¶12, ¶40, K2)."""

from datetime import datetime

from payouts.models import CorrectionBooking, TermExtension
from pools.models import Pool, Settlement, SettlementState


def claim_end_of(pool: Pool) -> datetime | None:
    """Return the end of the term, exclusive; None before the settlement is official."""
    settled = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    return claim_end_by(pool, settled, latest_extension(pool))


def claim_end_by(pool: Pool, settled: Settlement | None, extension: TermExtension | None) -> datetime | None:
    """Return the same from what was read already: the official settlement, and the extension that holds."""
    corrected = CorrectionBooking.objects.filter(pool=pool).first()
    known = [each.payable_until for each in (settled, corrected, extension) if each is not None]
    return max((end for end in known if end is not None), default=None)


def latest_extension(pool: Pool) -> TermExtension | None:
    """Return the extension that holds, if the term was extended."""
    approved = TermExtension.objects.filter(pool=pool, decision__isnull=False)
    return approved.order_by("-payable_until").first()
