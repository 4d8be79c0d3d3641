"""Sales stop when a required subscriber is without events for too long, and go on when it has caught up (U1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pools.services.pausing_by_itself import pause_by_itself, resume_by_itself
from totalizator.core import clock
from totalizator.core.legal import legal_number
from totalizator.core.models import Subscriber, SubscriberState
from totalizator.core.outbox_delivery import wanted
from totalizator.engine.deadlines import legal_day

JOB = "watch_required_links"


@dataclass(frozen=True, slots=True)
class Arrears:
    """What a subscriber does not have yet: how many events, and when the oldest of them happened."""

    events: int
    since: datetime | None


def arrears_of(subscriber: Subscriber, *, most: int) -> Arrears:
    """Count what a subscriber lacks, no further than one above `most`."""
    missing = wanted(subscriber).filter(sequence__gt=subscriber.delivered)
    oldest = missing.values_list("at", flat=True).first()
    return Arrears(missing[: most + 1].count() if oldest is not None else 0, oldest)


def stop_or_let_go_on() -> None:
    """Stop all sales while a required subscriber is over the limit of the day, and let them go on after (dated)."""
    now = clock.now()
    today = legal_day(now)
    hours, most = (int(legal_number(name, today)) for name in ("events_unsent_hours", "events_unsent_most"))
    late = []
    for subscriber in Subscriber.objects.filter(state=SubscriberState.ACTIVE, required=True).order_by("pk"):
        arrears = arrears_of(subscriber, most=most)
        too_long = arrears.since is not None and arrears.since <= now - timedelta(hours=hours)
        if too_long or arrears.events > most:
            late.append(subscriber.name)
    if late:
        pause_by_itself(job=JOB, cause=f"Without events for too long: {', '.join(late)}")
    else:
        resume_by_itself(job=JOB, outcome="Every required subscriber is within the limit.")
