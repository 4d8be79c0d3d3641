"""A bet that somebody wants to make, with all that the database knew of it at its instant."""

from dataclasses import dataclass
from datetime import datetime

from accounts.models import Person
from accounts.queries.standing import Standing
from pools.models import Pool
from pools.services.sources import BetSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What the gates judge. It was read under the locks of a bet, so it holds until the transaction ends.

    Several bets of one call that have one source and one person are one attempt.
    """

    pool: Pool
    state: str
    """Of the pool, now."""
    source: BetSource
    person: Person | None
    """Who plays, where that is known."""
    stake: int
    """Of all its bets together, in kopecks."""
    largest: int
    """The largest stake of one bet, in kopecks."""
    now: datetime
    paused_since: datetime | None
    standing: Standing | None
    """Of the person."""
