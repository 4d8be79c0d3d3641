"""Running the same moment in many threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

from totalizator.core.errors import DomainError

T = TypeVar("T")


def race(acts: Sequence[Callable[[], T]]) -> list[T | DomainError]:
    """Start every act at once, each in a thread and connection of its own; return results or refusals in order."""
    start = Barrier(len(acts))

    def run(act: Callable[[], T]) -> T | DomainError:
        try:
            start.wait(timeout=30)
            return act()
        except DomainError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
