"""Delivering events to one subscriber: in order, at least once, from where it stands (U1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from totalizator.core import clock
from totalizator.core.one_worker import one_worker
from totalizator.core.outbox import envelope, last_sequence
from totalizator.core.outbox_models import OutboxEvent, Subscriber, SubscriberState
from totalizator.core.outbox_sending import Answer, NotSent, post_signed
from totalizator.engine.canonical import canonical_json

MOST_EVENTS = 100
MOST_BYTES = 512 * 1024
MOST_BATCHES = 50
LONGEST_PAUSE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Batch:
    """What follows `after`: the wanted events up to and including number `through`."""

    after: int
    through: int
    events: tuple[OutboxEvent, ...]

    def document(self) -> dict[str, Any]:
        """Write it as it is sent, and as it is fetched."""
        return {
            "after": self.after,
            "through": self.through,
            "events": [envelope(event) for event in self.events],
        }


def work_for(subscriber: Subscriber) -> str:
    """Return the name of the work for a subscriber, for `one_worker`."""
    return f"subscriber:{subscriber.pk}"


def wanted(subscriber: Subscriber) -> QuerySet[OutboxEvent]:
    """Return the events that a subscriber is told of, in their order."""
    events = OutboxEvent.objects.order_by("sequence")
    return events.filter(kind__in=subscriber.kinds) if subscriber.kinds else events


def batch_after(subscriber: Subscriber, after: int, *, most: int) -> Batch:
    """Return the next wanted events after number `after`; `through` passes over what is not wanted."""
    newest = last_sequence()  # read first: what is numbered afterwards is in the next batch
    found = list(wanted(subscriber).filter(sequence__gt=after, sequence__lte=newest)[:most])
    events = _of_a_size(found)
    cut_off = len(events) < len(found) or len(found) == most
    return Batch(after, events[-1].sequence if cut_off else max(after, newest), tuple(events))


def _of_a_size(events: Sequence[OutboxEvent]) -> Sequence[OutboxEvent]:
    """Leave out what would make the message too long; one event always goes."""
    size = 0
    for number, event in enumerate(events):
        size += len(canonical_json(event.payload))
        if size > MOST_BYTES and number:
            return events[:number]
    return events


def subscribers_due(now: datetime) -> list[Subscriber]:
    """Return who is to be told of something now, and does not rest after a failure."""
    rested = Q(next_try_at__isnull=True) | Q(next_try_at__lte=now)
    due = Subscriber.objects.filter(rested, state=SubscriberState.ACTIVE, delivered__lt=last_sequence())
    return list(due.order_by("pk"))


def deliver(subscriber_id: int) -> int:
    """Send what the subscriber does not have yet; return how many events it took.

    Whoever else is at it is left to it. The cursor moves after the answer: what is killed in between is sent again.
    """
    subscriber = Subscriber.objects.get(pk=subscriber_id)
    taken = 0
    with one_worker(work_for(subscriber)) as alone:
        for _batch in range(MOST_BATCHES if alone else 0):
            subscriber.refresh_from_db()
            batch = batch_after(subscriber, subscriber.delivered, most=MOST_EVENTS)
            if subscriber.state != SubscriberState.ACTIVE or batch.through == batch.after:
                break
            if batch.events and not _send(subscriber, batch):
                break
            if not _advance(subscriber, batch.after, batch.through):
                break
            taken += len(batch.events)
    return taken


def _send(subscriber: Subscriber, batch: Batch) -> bool:
    """Send a batch; tell whether it was taken. What was not is noted, and the pause before the next try grows."""
    body = canonical_json({"message": "events", "subscriber": subscriber.name, **batch.document()})
    try:
        answer = post_signed(subscriber.url, body, secret=subscriber.secret, time=seconds_of(clock.now()))
    except NotSent as fault:
        note_failure(subscriber, str(fault))
        return False
    if answer.is_taken:
        return True
    behind = _behind(answer, batch)
    if behind is not None:
        _advance(subscriber, batch.after, behind)
    note_failure(subscriber, f"HTTP {answer.status}")
    return False


def _behind(answer: Answer, batch: Batch) -> int | None:
    """Return where a receiver says it stands, when that is before the batch: it lost what it had taken."""
    document = answer.document
    stands = document.get("after") if answer.status == 409 and isinstance(document, dict) else None
    if isinstance(stands, int) and not isinstance(stands, bool) and 0 <= stands < batch.after:
        return stands
    return None


def _advance(subscriber: Subscriber, after: int, to: int) -> bool:
    """Move the cursor from where it was read; tell whether nobody else had moved it."""
    here = Subscriber.objects.filter(pk=subscriber.pk, delivered=after)
    return bool(here.update(delivered=to, failures=0, next_try_at=None, last_failure=""))


def note_failure(subscriber: Subscriber, reason: str) -> None:
    """Let the subscriber rest, twice as long after each failure in a row, five minutes at most."""
    failures = Subscriber.objects.values_list("failures", flat=True).get(pk=subscriber.pk) + 1
    pause = min(timedelta(seconds=2 ** min(failures - 1, 20)), LONGEST_PAUSE)
    Subscriber.objects.filter(pk=subscriber.pk).update(
        failures=failures, next_try_at=clock.now() + pause, last_failure=reason[:300]
    )


def seconds_of(at: datetime) -> str:
    """Write an instant as a message is signed with it: whole seconds since 1970."""
    return str(int(at.timestamp()))
