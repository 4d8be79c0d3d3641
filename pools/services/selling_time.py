"""The gate of time: bets are taken from opening to closing, by the database's clock (D-11, ¶9.12)."""

from django.utils.translation import gettext_lazy as _

from pools.models import PoolState
from pools.services.attempts import Attempt
from totalizator.core.errors import DomainError, Refusal


def refuse_out_of_time(attempt: Attempt) -> None:
    """Refuse a bet before opening and from closing on; a state only ever ends sales earlier (G1).

    :raises DomainError: NOT_OPEN_YET, POOL_CLOSED.
    """
    pool, now = attempt.pool, attempt.now
    if attempt.state == PoolState.DRAFT or now < pool.opens_at:
        raise DomainError(Refusal.NOT_OPEN_YET, _("The pool does not take bets yet."), field="pool")
    if attempt.state not in (PoolState.ANNOUNCED, PoolState.OPEN) or now >= pool.closes_at:
        raise DomainError(Refusal.POOL_CLOSED, _("The pool is closed: bets are no longer taken."), field="pool")
