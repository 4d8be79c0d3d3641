"""The head of the public log that a ticket carries: who keeps tickets can show what the log once was (X6)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from pools.models import LogHead

# A head is written as the last thing of its transaction. After this long it is there for every reader, or never.
SETTLED = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PrintedHead:
    """A head as far as it fits on a ticket; `root` is whole, in hex."""

    size: int
    root: str
    at: datetime


def head_printed_at(registered_at: datetime) -> PrintedHead | None:
    """Return the newest head that was a minute old when the minute of the bet began; None before there was one.

    It follows from the bet's time alone, so that a copy of the ticket has the same head as the ticket.
    """
    return _newest(registered_at.replace(second=0, microsecond=0) - SETTLED)


@lru_cache(maxsize=64)
def _newest(until: datetime) -> PrintedHead | None:
    head = LogHead.objects.filter(at__lte=until).order_by("-at", "-size").values_list("size", "root", "at").first()
    return PrintedHead(*head) if head is not None else None


def forget_printed_heads() -> None:
    """Read the heads again: for tests, whose log begins anew."""
    _newest.cache_clear()
