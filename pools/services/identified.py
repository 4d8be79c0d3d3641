"""The gate for large stakes in cash: a document is shown first (Q1)."""

from accounts.services.identified_operations import refuse_unidentified
from pools.services.attempts import Attempt


def refuse_unidentified_stake(attempt: Attempt) -> None:
    """Refuse a stake in cash from the threshold of the day on, of somebody who showed no document.

    :raises DomainError: IDENTITY_NEEDED.
    """
    if attempt.source.takes_cash:
        refuse_unidentified(amount=attempt.largest, person=attempt.source.person, at=attempt.now)
