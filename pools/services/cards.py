"""The gate for prepaid cards: a card that pays is locked, and looked at again (¶35.2, D3)."""

from accounts.services.card_presenting import hold_card
from pools.services.attempts import Attempt


def refuse_card(attempt: Attempt) -> None:
    """Refuse a card that was blocked, replaced, spent or has expired since it was presented.

    :raises DomainError: CARD_REFUSED.
    """
    if attempt.source.card is not None:
        hold_card(attempt.source.card, attempt.now)
