"""Subscribing the fake receiver, and letting events go to it."""

from collections.abc import Sequence
from datetime import timedelta

from pools.services.subscribers import approve_subscriber, propose_subscriber
from pools.services.telling_bets import number_what_happened
from tests.fakes.receiver import FakeReceiver
from tests.making import make_organizers
from totalizator.core import clock
from totalizator.core.models import Subscriber
from totalizator.core.outbox import last_sequence
from totalizator.core.outbox_delivery import deliver
from totalizator.core.outbox_kinds import EventKind


def subscribe(receiver: FakeReceiver, *, kinds: Sequence[EventKind] = (), required: bool = False) -> Subscriber:
    """The receiver as a subscriber whom two people let be told."""
    one, other = make_organizers()
    new = propose_subscriber(name="the state", url=receiver.url, proposed_by=one, kinds=kinds, required=required)
    receiver.secret = new.secret
    return approve_subscriber(number=new.subscriber.pk, approved_by=other)


def deliver_until_caught_up(subscriber: Subscriber, *, most: int = 60) -> int:
    """Number, deliver, and wait out the pauses by the clock, until nothing is missing; return how often it took."""
    number_what_happened()
    for tries in range(1, most + 1):
        deliver(subscriber.pk)
        subscriber.refresh_from_db()
        if subscriber.delivered == last_sequence():
            return tries
        clock.move_clock(timedelta(minutes=6))
    raise AssertionError(f"not caught up: {subscriber.last_failure}")
