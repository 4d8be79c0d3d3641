"""Events reach a subscriber in order, each applied once, whatever the line does (U1)."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pools.services.telling_bets import number_what_happened
from pools.tasks import DELIVERY_EXPIRES, deliver_events
from tests.fakes.receiver import BROKEN, DROPPED, HELD, LATE, LOST, REPEATED, FakeReceiver, running
from tests.making import make_pool, make_till
from tests.paying import sell_slips
from tests.settling import settle
from tests.subscribing import deliver_until_caught_up, subscribe
from totalizator.core import clock, outbox_delivery
from totalizator.core.models import OutboxEvent, Subscriber
from totalizator.core.outbox import envelope, last_sequence
from totalizator.core.outbox_delivery import deliver, subscribers_due
from totalizator.core.outbox_kinds import EventKind

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver(settings: Any) -> Iterator[FakeReceiver]:
    settings.OUTBOX_NETWORKS = ["127.0.0.0/8"]
    with running() as started:
        yield started


def something_happens() -> None:
    """A pool from its announcement to its settlement."""
    pool = make_pool("sportloto-variant")
    sell_slips(pool, make_till(), ("1", 100), ("X", 100))
    settle(pool, "1")
    number_what_happened()


def whole() -> list[dict[str, Any]]:
    return [envelope(event) for event in OutboxEvent.objects.order_by("sequence")]


@pytest.mark.parametrize(
    "weather",
    [
        [DROPPED] * 3,
        [LOST] * 3,
        [BROKEN] * 3,
        [REPEATED] * 3,
        [LATE],
        [HELD, HELD],
        [LOST, HELD, BROKEN, REPEATED, DROPPED, HELD, LATE, LOST],
    ],
)
def test_in_any_weather_each_event_is_applied_once_and_in_order(
    receiver: FakeReceiver, weather: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_delivery, "MOST_EVENTS", 3)
    subscriber = subscribe(receiver)
    something_happens()
    receiver.weather = list(weather)
    tries = deliver_until_caught_up(subscriber)
    assert receiver.events == whole()
    assert receiver.sequences == list(range(1, last_sequence() + 1))
    assert not receiver.weather
    assert tries == 1 + sum(what in (DROPPED, LOST, BROKEN, HELD) for what in weather)


def test_killed_at_any_instruction_it_goes_on_from_where_it_was(
    receiver: FakeReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_delivery, "MOST_EVENTS", 5)
    subscriber = subscribe(receiver)
    something_happens()
    sent = 0
    for line in range(1, 200):
        if not killed_at(line, lambda: deliver(subscriber.pk)):
            break
        sent = receiver.calls
    else:
        pytest.fail("it never came to its end")
    assert line > 30
    subscriber.refresh_from_db()
    assert subscriber.delivered == last_sequence()
    assert receiver.calls > sent - 1
    assert receiver.events == whole()
    assert receiver.calls > len(whole()) // 5 + 1  # some were sent again


def killed_at(number: int, act: Any) -> bool:
    """Do the act, and end it at the `number`-th line of the delivery; tell whether it came so far."""

    class Killed(BaseException):
        pass

    passed = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal passed
        if Path(frame.f_code.co_filename).name not in ("outbox_delivery.py", "outbox_sending.py"):
            return None
        if event == "line":
            passed += 1
            if passed == number:
                raise Killed
        return trace

    sys.settrace(trace)
    try:
        act()
    except Killed:
        return True
    finally:
        sys.settrace(None)
    return False


def test_the_pauses_grow_to_five_minutes_and_end_with_the_first_success(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    something_happens()
    receiver.weather = [BROKEN] * 12
    pauses = []
    for _try in range(12):
        now = clock.now()
        deliver(subscriber.pk)
        subscriber.refresh_from_db()
        assert subscriber.next_try_at is not None
        pauses.append(round((subscriber.next_try_at - now).total_seconds()))
        assert subscribers_due(clock.now()) == []
        clock.move_clock(subscriber.next_try_at - clock.now())
        assert subscribers_due(clock.now()) == [subscriber]
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert (subscriber.failures, subscriber.last_failure) == (12, "HTTP 500")
    deliver(subscriber.pk)
    subscriber.refresh_from_db()
    assert (subscriber.failures, subscriber.next_try_at, subscriber.last_failure) == (0, None, "")


def test_a_receiver_that_lost_what_it_had_is_told_again_from_where_it_stands(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    something_happens()
    deliver_until_caught_up(subscriber)
    receiver.events, receiver.applied = receiver.events[:4], 4
    make_pool("sportloto-variant")
    deliver_until_caught_up(subscriber)
    assert receiver.refused
    assert receiver.events == whole()


def test_a_receiver_that_claims_to_be_further_on_moves_nothing(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    something_happens()
    receiver.secret = "another"
    deliver(subscriber.pk)
    subscriber.refresh_from_db()
    assert (subscriber.delivered, subscriber.last_failure, receiver.events) == (0, "HTTP 403", [])


def test_only_what_is_wanted_is_sent_and_the_rest_is_passed_over(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver, kinds=[EventKind.POOL_CLOSED, EventKind.BETS_REGISTERED])
    something_happens()
    deliver_until_caught_up(subscriber)
    assert [event["kind"] for event in receiver.events] == ["bets.registered", "pool.closed"]
    assert receiver.applied == last_sequence()


def test_one_subscriber_that_is_away_does_not_keep_the_others_waiting(receiver: FakeReceiver) -> None:
    away = subscribe(receiver)
    Subscriber.objects.filter(pk=away.pk).update(name="away", url="http://127.0.0.1:9/")
    here = subscribe(receiver)
    something_happens()
    deliver(away.pk)
    deliver_until_caught_up(here)
    away.refresh_from_db()
    assert away.failures == 1
    assert receiver.events == whole()


def test_the_tick_begins_a_delivery_for_each_that_is_due(
    receiver: FakeReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscriber = subscribe(receiver)
    begun: list[tuple[int]] = []

    def begin(told: tuple[int], *, expires: int) -> None:
        assert expires == DELIVERY_EXPIRES
        begun.append(told)

    monkeypatch.setattr("pools.tasks.deliver_to_subscriber.apply_async", begin)
    deliver_events()
    assert begun == []
    something_happens()
    deliver_events()
    assert begun == [(subscriber.pk,)]
    outbox_delivery.note_failure(subscriber, "away")
    deliver_events()
    assert begun == [(subscriber.pk,)]
    clock.move_clock(timedelta(seconds=2))
    deliver_events()
    assert begun == [(subscriber.pk,)] * 2
