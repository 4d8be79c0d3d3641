"""The gate for prepaid cards: a card that pays is locked, and looked at again (¶35.2, D3)."""

from datetime import datetime

from accounts.services.card_presenting import hold_card
from pools.models import Pool
from pools.services.sources import BetSource


def refuse_card(pool: Pool, source: BetSource, stake: int, now: datetime) -> None:  # noqa: ARG001
    """Refuse a card that was blocked, replaced, spent or has expired since it was presented.

    :raises DomainError: CARD_REFUSED.
    """
    if source.card is not None:
        hold_card(source.card, now)
