"""Timing the long acts on a pool, where jobs and pages begin them: closing, settling, paying, exporting."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from totalizator.core.errors import DomainError, Refusal
from totalizator.core.watching.context import speaking_of
from totalizator.core.watching.metrics import ACT_SECONDS, ACTS_FAILED

_PASSING = (Refusal.BUSY, Refusal.WRONG_STATE)
"""Somebody else is at it, or was: the next tick finds out."""


@contextmanager
def watched_act(act: str, *, pool: str) -> Iterator[None]:
    """Time the block, count it when it fails, and let its lines in the log name the pool."""
    began = perf_counter()
    with speaking_of(pool=pool):
        try:
            yield
        except Exception as fault:
            if not (isinstance(fault, DomainError) and fault.code in _PASSING):
                ACTS_FAILED.labels(act).inc()
            raise
    ACT_SECONDS.labels(act).observe(perf_counter() - began)
