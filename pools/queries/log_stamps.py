"""Which heads of the public log others have time-stamped, and what of a pool that dates (X1)."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet

from pools.models import LogEntry, LogHead, LogKind, LogStamp
from totalizator.core import clock
from totalizator.core.timestamps import authorities

LATE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class StampStanding:
    """How far an authority is: its newest token, how many lines have come since, whether it has kept us waiting."""

    name: str
    url: str
    newest: LogStamp | None
    waiting: int
    late: bool


def head_file(head: LogHead) -> bytes:
    """Return head.json, the exact bytes that are stamped: the signed head and one line feed."""
    return head.document_text.encode() + b"\n"


def stamp_standings() -> list[StampStanding]:
    """Return every authority of the settings; one is late that left a head without a token for ten minutes."""
    known = authorities()
    if not known:
        return []
    newest = LogHead.objects.order_by("-size").first()
    size, now = newest.size if newest is not None else 0, clock.now()
    standings = []
    for authority in known:
        stamp = stamps_shown().filter(authority=authority.name).order_by("-head_id").first()
        stamped = stamp.head_id if stamp is not None else 0
        waits = LogHead.objects.filter(size__gt=stamped).order_by("size").values_list("at", flat=True).first()
        late = waits is not None and now - waits > LATE
        standings.append(StampStanding(authority.name, authority.url, stamp, size - stamped, late))
    return standings


def stamps_shown() -> QuerySet[LogStamp]:
    """Return stamps without their tokens, which only a download reads."""
    return LogStamp.objects.defer("answer")


def stamps_of_commitment(code: str) -> list[LogStamp]:
    """Return, of each authority, the first token over a head that has the line of the pool's commitment."""
    line = LogEntry.objects.filter(kind=LogKind.COMMITMENT, subject=code).first()
    if line is None:
        return []
    covering = stamps_shown().filter(head__size__gt=line.index)
    return list(covering.order_by("authority", "head_id").distinct("authority"))
