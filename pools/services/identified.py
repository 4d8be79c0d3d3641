"""The gate for large stakes in cash: a document is shown first (Q1)."""

from datetime import datetime

from accounts.services.identified_operations import refuse_unidentified
from pools.models import Pool
from pools.services.sources import BetSource


def refuse_unidentified_stake(_pool: Pool, source: BetSource, stake: int, now: datetime) -> None:
    """Refuse a stake in cash from the threshold of the day on, of somebody who showed no document.

    :raises DomainError: IDENTITY_NEEDED.
    """
    if source.takes_cash:
        refuse_unidentified(amount=stake, person=source.person, at=now)
