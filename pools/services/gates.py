"""The one gate before every bet: whoever may not take part, in whatever channel, is stopped here.

A guard stands in the module of its subject, reads as few rows as it can, and writes none: it runs once for every
bet. What can only be told once the stake is posted is a cap (`caps.py`).
"""

from collections.abc import Callable
from datetime import datetime

from pools.models import Pool
from pools.services.cards import refuse_card
from pools.services.desks import refuse_desk
from pools.services.identified import refuse_unidentified_stake
from pools.services.pausing import refuse_paused
from pools.services.players import refuse_person
from pools.services.sources import BetSource
from totalizator.core.clock_drift import refuse_drifting

Guard = Callable[[Pool, BetSource, int, datetime], None]
"""Raises a DomainError, or lets the bet pass: the pool, who pays and how, the stake in kopecks, the instant."""


def _refuse_drifting(_pool: Pool, _source: BetSource, _stake: int, now: datetime) -> None:
    refuse_drifting(now)


GATES: tuple[Guard, ...] = (
    _refuse_drifting,
    refuse_paused,
    refuse_person,
    refuse_unidentified_stake,
    refuse_card,
    refuse_desk,
)
"""Every guard, in the order in which they are asked: the first refusal is the answer."""


def refuse_bet(pool: Pool, source: BetSource, stake: int, now: datetime) -> None:
    """Refuse a bet that some guard forbids; call it under the pool's lock, before the stake is posted.

    :raises DomainError: the first guard's refusal.
    """
    for guard in GATES:
        guard(pool, source, stake, now)
