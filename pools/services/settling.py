"""Settling a pool: calculated by the database, confirmed by the engine, then official (H3, I9)."""

from pools.locks import find_pool
from pools.models import Settlement
from pools.services.calculating import calculate_settlement
from pools.services.confirming import confirm_settlement
from pools.services.settling_ranges import calculate_by_ranges, is_settled_by_ranges


def settle_pool(*, code: str, actor: str) -> Settlement:
    """Settle a resulted pool; called again after being killed anywhere, it goes on with the same rows.

    Two transactions, with the second computation between them outside of any: sales in other pools never wait for it.
    Of two calls at once one settles, the other is refused. A huge pool is calculated by ranges of its bets, with the
    help of all workers.

    :raises DomainError: as `calculate_settlement` and `confirm_settlement`; BUSY when a helper takes too long.
    """
    calculate = calculate_by_ranges if is_settled_by_ranges(find_pool(code)) else calculate_settlement
    calculate(code=code, actor=actor)
    return confirm_settlement(code=code, actor=actor)
