"""Counting what becomes of bets, around the two functions that place them; no rule is here."""

from collections.abc import Callable, Sequence
from functools import wraps
from time import perf_counter
from typing import Any, ParamSpec, Protocol, TypeVar

from django.db import transaction

from totalizator.core.errors import DomainError
from totalizator.core.watching.metrics import BET_SECONDS, BETS_ACCEPTED, BETS_REFUSED


class _Placed(Protocol):
    @property
    def replayed(self) -> bool: ...


Asked = ParamSpec("Asked")
One = TypeVar("One", bound=_Placed)
Several = TypeVar("Several", bound=Sequence[_Placed])


def counted(place: Callable[Asked, One]) -> Callable[Asked, One]:
    """Count the bet when it is committed, or its refusal; time the call."""

    @wraps(place)
    def counting(*args: Asked.args, **kwargs: Asked.kwargs) -> One:
        channel, began = _channel(args, kwargs), perf_counter()
        try:
            placed = place(*args, **kwargs)
        except DomainError as refusal:
            BETS_REFUSED.labels(channel, refusal.code.value).inc()
            raise
        BET_SECONDS.labels(channel).observe(perf_counter() - began)
        if not placed.replayed:
            transaction.on_commit(BETS_ACCEPTED.labels(channel).inc, robust=True)
        return placed

    return counting


def counted_together(place: Callable[Asked, Several]) -> Callable[Asked, Several]:
    """Count bets that are accepted as one; where they are refused as one, each is asked for again by itself."""

    @wraps(place)
    def counting(*args: Asked.args, **kwargs: Asked.kwargs) -> Several:
        channel, began = _channel(args, kwargs), perf_counter()
        placed = place(*args, **kwargs)
        BET_SECONDS.labels(channel).observe(perf_counter() - began)
        transaction.on_commit(lambda: BETS_ACCEPTED.labels(channel).inc(len(placed)), robust=True)
        return placed

    return counting


def _channel(args: Sequence[Any], kwargs: Any) -> str:
    """Name the channel of the source, which both functions are told."""
    source = kwargs["source"] if "source" in kwargs else args[1]
    return str(source.channel)
