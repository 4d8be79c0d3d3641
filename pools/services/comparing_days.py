"""The daily reconciliation: our totals of a day, the books', and what a subscriber makes of what it was told (U1)."""

import logging
from datetime import date, timedelta
from typing import Any

from pools.queries.day_totals import day_digest, day_is_numbered, told_totals, untold
from totalizator.core import clock
from totalizator.core.journal import write_journal
from totalizator.core.models import DayComparison, JournalRecord, Subscriber, SubscriberState
from totalizator.core.one_worker import one_worker
from totalizator.core.outbox_delivery import note_failure, seconds_of, work_for
from totalizator.core.outbox_sending import NotSent, post_signed
from totalizator.core.transactions import one_transaction
from totalizator.engine.canonical import canonical_json
from totalizator.engine.deadlines import legal_day

logger = logging.getLogger(__name__)
ACTOR = "task:compare_days"


def compare_due_days() -> None:
    """Check yesterday against the books, and compare with each subscriber the next day that is not compared yet."""
    yesterday = clock.today() - timedelta(days=1)
    if day_is_numbered(yesterday):
        check_against_books(yesterday)
    for subscriber in Subscriber.objects.filter(state=SubscriberState.ACTIVE).order_by("pk"):
        day = _next_day(subscriber)
        if day is not None and day <= yesterday:
            compare_day(subscriber=subscriber, day=day)


def check_against_books(day: date) -> list[str]:
    """Journal, once for a day, whether what was told of it is what the books have; return the kinds that differ."""
    subject = f"outbox:{day.isoformat()}"
    if JournalRecord.objects.filter(subject=subject, act="check_outbox").exists():
        return []
    differing = untold(day)
    at = clock.now()
    write_journal(at=at, actor=ACTOR, act="check_outbox", subject=subject, after={"differing": differing})
    if differing:
        logger.critical("%s: what was told is not what the books have: %s", day, ", ".join(differing))
    return differing


def compare_day(*, subscriber: Subscriber, day: date, actor: str = ACTOR) -> DayComparison | None:
    """Send a day's totals and keep the answer beside them; a difference is journalled and logged.

    None: the day is not whole yet, the subscriber does not have all of it, or gives no answer; it is tried again.
    """
    with one_worker(work_for(subscriber)) as alone:
        subscriber.refresh_from_db()
        if not (alone and subscriber.state == SubscriberState.ACTIVE and day_is_numbered(day)):
            return None
        ours, last = totals_for(subscriber, day)
        if subscriber.delivered < last:
            return None
        theirs = _ask(subscriber, ours)
        return _keep(subscriber, day, ours, theirs, actor) if theirs is not None else None


def totals_for(subscriber: Subscriber, day: date) -> tuple[dict[str, Any], int]:
    """Return a day's totals of what a subscriber is told of, and the number of the day's last event for it."""
    told = told_totals(day)
    digest, last = day_digest(day, subscriber.kinds)
    totals = {kind: dict(sums) for kind, sums in told.items() if not subscriber.kinds or kind in subscriber.kinds}
    return {"day": day.isoformat(), "totals": totals, "digest": digest}, last


def _ask(subscriber: Subscriber, ours: dict[str, Any]) -> dict[str, Any] | None:
    body = canonical_json({"message": "totals", "subscriber": subscriber.name, **ours})
    try:
        answer = post_signed(subscriber.url, body, secret=subscriber.secret, time=seconds_of(clock.now()))
    except NotSent as fault:
        note_failure(subscriber, str(fault))
        return None
    document = answer.document
    if answer.is_taken and isinstance(document, dict):
        return document
    note_failure(subscriber, f"totals: HTTP {answer.status}")
    return None


def _keep(subscriber: Subscriber, day: date, ours: dict[str, Any], theirs: dict[str, Any], actor: str) -> DayComparison:
    differing = _differing(ours, theirs)
    with one_transaction():
        at = clock.now()
        comparison = DayComparison.objects.create(
            subscriber=subscriber,
            day=day,
            attempt=subscriber.comparisons.filter(day=day).count() + 1,
            ours=ours,
            theirs={key: theirs.get(key) for key in ("totals", "digest")},
            differing=differing,
            compared_at=at,
        )
        write_journal(
            at=at,
            actor=actor,
            act="days_differ" if differing else "compare_day",
            subject=subscriber.subject,
            after={"day": day.isoformat(), "attempt": comparison.attempt, "differing": differing},
        )
    if differing:
        logger.critical("%s: %s has other totals: %s", day, subscriber.name, ", ".join(differing))
    return comparison


def _differing(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Name the kinds whose sums differ, and `digest` when the events themselves do."""
    told = theirs.get("totals")
    their_totals: dict[str, Any] = told if isinstance(told, dict) else {}
    kinds = sorted({*ours["totals"], *map(str, their_totals)})
    differing = [kind for kind in kinds if ours["totals"].get(kind) != their_totals.get(kind)]
    return differing + (["digest"] if ours["digest"] != theirs.get("digest") else [])


def _next_day(subscriber: Subscriber) -> date | None:
    """Return the day after the last one compared; the first is the day after the approval, the first whole one."""
    last = subscriber.comparisons.order_by("-day").values_list("day", flat=True).first()
    if last is not None:
        return last + timedelta(days=1)
    return legal_day(subscriber.approved_at) + timedelta(days=1) if subscriber.approved_at is not None else None
