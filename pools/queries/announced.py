"""Announced pools, kept in the process: of an announced pool nothing but its state ever changes (A1)."""

from copy import copy
from functools import lru_cache

from pools.locks import find_pool
from pools.models import Pool, PoolState


class _StillDraftError(Exception):
    """A draft can change, so it is not kept."""


def announced_pool(code: str) -> Pool:
    """Return the pool with this code; its `state` is that of some earlier moment, all else is as it stands.

    :raises DomainError: NOT_FOUND.
    """
    try:
        return copy(_kept(code))
    except _StillDraftError:
        return find_pool(code)


@lru_cache(maxsize=1_024)
def _kept(code: str) -> Pool:
    pool = find_pool(code)
    if pool.state == PoolState.DRAFT:
        raise _StillDraftError
    return pool


def forget_pools() -> None:
    """Read every pool anew: for tests, whose pools vanish."""
    _kept.cache_clear()
