"""Settling a pool: calculated by the database, confirmed by the engine, then official (H3, I9)."""

from pools.models import Settlement
from pools.services.calculating import calculate_settlement
from pools.services.confirming import confirm_settlement


def settle_pool(*, code: str, actor: str) -> Settlement:
    """Settle a resulted pool; called again after being killed anywhere, it goes on with the same rows.

    Two transactions, with the second computation between them outside of any: sales in other pools never wait for it.
    Of two calls at once one settles, the other is refused.

    :raises DomainError: as `calculate_settlement` and `confirm_settlement`.
    """
    calculate_settlement(code=code, actor=actor)
    return confirm_settlement(code=code, actor=actor)
