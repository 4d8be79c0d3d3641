"""How pages show from when and until when a pool's winnings are paid: also the pages of the floor below (K2)."""

from dataclasses import dataclass
from datetime import datetime

from django import template

from payouts.queries.claim_terms import claim_end_by, latest_extension
from pools.models import Pool, PoolState, Settlement, SettlementState
from pools.services.claim_words import claim_words

register = template.Library()


@dataclass(frozen=True, slots=True)
class ShownTerm:
    """A pool's term: its ends once there is a result, the later one as it stands now; until then only the words."""

    paid_from: datetime | None
    paid_until: datetime | None
    extended: bool
    words: str


@register.simple_tag
def claim_term(pool: Pool) -> ShownTerm:
    """Return the term of a pool, with what it was extended by."""
    official = Settlement.objects.filter(pool=pool, state=SettlementState.OFFICIAL).first()
    if official is not None:
        extension = latest_extension(pool)
        return ShownTerm(official.payable_from, claim_end_by(pool, official, extension), extension is not None, "")
    return ShownTerm(None, None, False, claim_words(pool) if pool.state != PoolState.CANCELLED else "")
