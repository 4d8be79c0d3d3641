"""The outbox: what happened, in one order without gaps, for whoever must be told of it (U1, docs/events.md).

An act tells in its own transaction: both are there or neither is. It gets no number then, since a transaction that
began earlier may end later: a reader could pass a number that appears only afterwards. Numbers are given to what has
been committed, by one at a time. That is why a number is never followed by a smaller one.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from totalizator.core.advisory import LockSpace, lock_exclusive
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.outbox_models import OutboxEvent, PendingEvent
from totalizator.engine.canonical import canonical_json, digest
from totalizator.engine.instants import instant_text

MOST_AT_ONCE = 2000
_TAKE = """
DELETE FROM core_pendingevent WHERE id IN (
    SELECT id FROM core_pendingevent WHERE at <= %s ORDER BY at, id LIMIT %s
) RETURNING at, id, kind, subject, payload::text
"""


def tell(kind: EventKind, subject: str, payload: Mapping[str, Any], *, at: datetime) -> None:
    """Tell of one event in the transaction of its act; `payload` has neither personal data nor codes."""
    tell_all([PendingEvent(kind=kind, subject=subject, payload=dict(payload), at=at)])


def tell_all(events: Sequence[PendingEvent]) -> None:
    """Tell of several events, as `tell`."""
    _refuse_outside_transaction()
    if not events:
        return
    # As they are, not as an array: psycopg would escape a thousand tickets mark by mark.
    rows = ", ".join(["(%s, %s, %s::jsonb, %s)"] * len(events))
    values = [(str(event.kind), event.subject, json.dumps(event.payload), event.at) for event in events]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO core_pendingevent (kind, subject, payload, at) VALUES {rows}",
            [value for row in values for value in row],
        )


def hold_numbering() -> None:
    """Be the only one to give numbers until the transaction ends."""
    lock_exclusive(LockSpace.OUTBOX, 0)


def number_events(*, until: datetime) -> int:
    """Give their numbers to the events of acts done at `until` or before, in the order of their instants.

    Called under `hold_numbering`, in its transaction. Return how many got one: MOST_AT_ONCE when there may be more.
    """
    _refuse_outside_transaction()
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [until, MOST_AT_ONCE])
        taken = sorted(cursor.fetchall())
    last = OutboxEvent.objects.order_by("-sequence").first()
    sequence, chain = (last.sequence, last.chain) if last is not None else (0, "")
    numbered = []
    for at, _id, kind, subject, payload in taken:
        event = OutboxEvent(sequence=sequence + 1, kind=kind, subject=subject, payload=json.loads(payload), at=at)
        event.chain = chain_of(chain, event)
        sequence, chain = event.sequence, event.chain
        numbered.append(event)
    OutboxEvent.objects.bulk_create(numbered)
    return len(numbered)


def chain_of(before: str, event: OutboxEvent) -> str:
    """Return the digest of an event and of the chain before it, which is empty before the first."""
    return digest(before.encode() + b"\n" + canonical_json(_bare(event)))


def envelope(event: OutboxEvent) -> dict[str, Any]:
    """Write an event as it is sent."""
    return _bare(event) | {"chain": event.chain}


def _bare(event: OutboxEvent) -> dict[str, Any]:
    return {
        "sequence": event.sequence,
        "kind": event.kind,
        "subject": event.subject,
        "at": instant_text(event.at),
        "payload": event.payload,
    }


def last_sequence() -> int:
    """Return the number of the newest event, 0 before the first."""
    return OutboxEvent.objects.order_by("-sequence").values_list("sequence", flat=True).first() or 0


def _refuse_outside_transaction() -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("Events are told, and numbered, in a transaction.")
