"""The gate for desks: a bet at a till or a terminal needs a desk that may sell (¶7, ¶9.4, ¶9.6, G5)."""

from accounts.services.desks import refuse_to_sell
from pools.services.attempts import Attempt


def refuse_desk(attempt: Attempt) -> None:
    """Refuse a bet at a desk that may not sell; a bet that is not made at a desk passes.

    :raises DomainError: as `accounts.services.desks.refuse_to_sell`.
    """
    source = attempt.source
    if source.till is None:
        return
    cash = attempt.stake if source.takes_cash else 0
    refuse_to_sell(till=source.till, cash=cash, now=attempt.now, terminal=source.terminal)
