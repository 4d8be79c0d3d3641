"""The one gate before every bet: whoever may not take part, in whatever channel, is stopped here.

A guard stands in the module of its subject, asks for little that the attempt does not bring, and writes nothing: it
runs once for every bet.
"""

from collections.abc import Callable

from pools.services.attempts import Attempt
from pools.services.caps import refuse_over_caps
from pools.services.cards import refuse_card
from pools.services.desks import refuse_desk
from pools.services.identified import refuse_unidentified_stake
from pools.services.pausing import refuse_paused
from pools.services.players import refuse_person
from pools.services.selling_time import refuse_out_of_time
from totalizator.core.clock_drift import refuse_drifting

Guard = Callable[[Attempt], None]
"""Raises a DomainError, or lets the bet pass."""


def _refuse_drifting(attempt: Attempt) -> None:
    refuse_drifting(attempt.now)


GATES: tuple[Guard, ...] = (
    refuse_out_of_time,
    _refuse_drifting,
    refuse_paused,
    refuse_person,
    refuse_unidentified_stake,
    refuse_card,
    refuse_desk,
    refuse_over_caps,
)
"""Every guard, in the order in which they are asked: the first refusal is the answer."""


def refuse_bet(attempt: Attempt) -> None:
    """Refuse a bet that some guard forbids; call it under the locks that the attempt was read under.

    :raises DomainError: the first guard's refusal.
    """
    for guard in GATES:
        guard(attempt)
