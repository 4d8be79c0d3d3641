"""The daily reconciliation, and what happens to sales while a required subscriber is without events (U1)."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from accounts.models import Till
from payouts.services.booking import book_payables
from pools.models import Incident, Pool
from pools.queries.day_totals import BOOKED, booked_totals, told_totals, untold
from pools.services.comparing_days import check_against_books, compare_day, compare_due_days
from pools.services.link_policy import JOB, stop_or_let_go_on
from pools.services.telling_bets import number_what_happened
from tests.fakes.receiver import BROKEN, FakeReceiver, running
from tests.making import bet_in_cash, make_pool, make_till
from tests.paying import go_to, pay, payable_from, sell_slips
from tests.refusals import every_row, refused
from tests.settling import settle
from tests.subscribing import deliver_until_caught_up, subscribe
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import DayComparison, JournalRecord, LegalNumber, OutboxEvent
from totalizator.core.outbox import tell
from totalizator.core.outbox_delivery import deliver
from totalizator.core.outbox_kinds import EventKind
from totalizator.engine.deadlines import end_of_legal_day, legal_day

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver(settings: Any) -> Iterator[FakeReceiver]:
    settings.OUTBOX_NETWORKS = ["127.0.0.0/8"]
    with running() as started:
        yield started


def to_the_next_morning() -> date:
    """Go to 00:30 of the next legal day, everything numbered, and return the day that has ended."""
    day = clock.today()
    go_to(end_of_legal_day(day) + timedelta(minutes=30))
    number_what_happened()
    return day


def paid_on_a_day_of_its_own() -> Pool:
    """A pool whose winnings are paid in cash today."""
    pool, till = make_pool("sportloto-variant", terms={"price": {"line": 1_000}}), make_till()
    slips = sell_slips(pool, till, *[("1", 1_000)] * 3, ("X", 1_000))
    settle(pool, "1")

    book_payables(code=pool.code)
    go_to(payable_from(pool) + timedelta(hours=1))
    for slip in slips[:3]:
        pay(slip, till)
    return pool


def test_what_is_told_of_a_day_is_what_the_books_have() -> None:
    first = clock.today()
    paid_on_a_day_of_its_own()
    last = to_the_next_morning()
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    told, booked = told_totals(last), booked_totals(last)
    assert set(booked) == set(BOOKED)
    assert booked["winnings.paid"] == {"count": 3, "amount": 2_799}
    assert {figure: told["winnings.paid"][figure] for figure in ("count", "amount")} == booked["winnings.paid"]
    assert booked["tax.withheld"]["amount"] == told["tax.withheld"]["amount"] > 0
    assert sum(booked_totals(day)["bets.registered"]["amount"] for day in days) == 4_000
    assert [untold(day) for day in days] == [[]] * len(days)


def test_an_event_too_many_is_found_by_the_books_and_journalled_once() -> None:
    day = clock.today()

    tell(EventKind.WINNINGS_PAID, "pool:1", {"count": 1, "amount": 5, "tickets": []}, at=clock.now())
    assert to_the_next_morning() == day
    assert check_against_books(day) == ["winnings.paid"]
    assert check_against_books(day) == []
    (record,) = JournalRecord.objects.filter(act="check_outbox")
    assert (record.subject, record.after) == (f"outbox:{day.isoformat()}", {"differing": ["winnings.paid"]})


def test_a_day_is_compared_once_and_the_receiver_has_the_same_sums(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    to_the_next_morning()
    paid_on_a_day_of_its_own()
    day = to_the_next_morning()
    deliver_until_caught_up(subscriber)
    before = every_row()
    assert compare_day(subscriber=subscriber, day=clock.today()) is None  # it is not over
    assert every_row() == before
    comparison = compare_day(subscriber=subscriber, day=day)
    assert comparison is not None
    assert comparison.differing == []
    assert comparison.ours["totals"] == comparison.theirs["totals"]
    assert comparison.ours["digest"] == comparison.theirs["digest"]
    assert comparison.theirs["totals"]["winnings.paid"] == {"events": 3, "count": 3, "amount": 2_799}


def test_a_day_is_compared_when_the_receiver_has_all_of_it_and_not_before(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    to_the_next_morning()
    make_pool("sportloto-variant", opens_in=timedelta(minutes=1))
    day = to_the_next_morning()
    assert compare_day(subscriber=subscriber, day=day) is None
    assert receiver.calls == 0
    deliver_until_caught_up(subscriber)
    receiver.weather = [BROKEN]
    assert compare_day(subscriber=subscriber, day=day) is None
    assert not DayComparison.objects.exists()
    compare_due_days()
    compare_due_days()
    compared = DayComparison.objects.values_list("day", flat=True)
    assert list(compared) == sorted(set(compared))
    assert day in compared


def test_a_difference_is_kept_named_and_journalled(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver)
    to_the_next_morning()
    pool, till = make_pool("sportloto-variant", opens_in=timedelta(minutes=1)), make_till()
    sell_slips(pool, till, ("1", 100))
    day = to_the_next_morning()
    deliver_until_caught_up(subscriber)
    receiver.wrong_by = 1
    comparison = compare_day(subscriber=subscriber, day=day)
    assert comparison is not None
    assert comparison.differing == ["bets.registered"]
    receiver.wrong_by = 0
    receiver.events[-1]["chain"] = "sha256:0"
    again = compare_day(subscriber=subscriber, day=day)
    assert again is not None
    assert (again.attempt, again.differing) == (2, ["digest"])
    records = JournalRecord.objects.filter(act="days_differ", subject=subscriber.subject).order_by("pk")
    assert [record.after and record.after["differing"] for record in records] == [["bets.registered"], ["digest"]]


def policy(name: str, value: str) -> None:
    """What the day's number is from now on."""
    LegalNumber.objects.create(name=name, valid_from=legal_day(clock.now()), value=value, source="a test")


def sells(pool: Pool, till: Till) -> bool:
    return bet_in_cash(pool, till, "1", 100).bet.stake == 100


def test_sales_stop_after_the_hours_of_the_day_and_go_on_once_it_has_caught_up(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver, required=True)
    pool, till = make_pool("sportloto-variant", lasts=timedelta(days=9)), make_till()
    number_what_happened()
    policy("events_unsent_hours", "6")
    since = OutboxEvent.objects.get(sequence=1).at
    go_to(since + timedelta(hours=6) - timedelta(seconds=5))
    stop_or_let_go_on()
    assert sells(pool, till)
    go_to(since + timedelta(hours=6))
    stop_or_let_go_on()
    stop_or_let_go_on()
    refusal = refused(lambda: bet_in_cash(pool, till, "1", 100))
    assert refusal.code == Refusal.SALES_PAUSED
    (incident,) = Incident.objects.all()
    assert (incident.job, incident.started_by, "the state" in incident.cause) == (JOB, None, True)
    deliver_until_caught_up(subscriber)
    stop_or_let_go_on()
    incident.refresh_from_db()
    assert (incident.state, incident.ended_by) == ("ended", None)
    assert sells(pool, till)
    number_what_happened()
    kinds = OutboxEvent.objects.filter(subject=f"incident:{incident.pk}").values_list("kind", flat=True)
    assert list(kinds) == ["sales.paused", "sales.resumed"]


def test_sales_stop_when_too_many_events_wait(receiver: FakeReceiver) -> None:
    subscriber = subscribe(receiver, required=True)
    pool, till = make_pool("sportloto-variant"), make_till()
    number_what_happened()
    waiting = OutboxEvent.objects.count()
    policy("events_unsent_most", str(waiting))
    stop_or_let_go_on()
    assert sells(pool, till)
    number_what_happened()
    stop_or_let_go_on()
    assert refused(lambda: bet_in_cash(pool, till, "1", 100)).code == Refusal.SALES_PAUSED
    deliver(subscriber.pk)
    stop_or_let_go_on()
    assert sells(pool, till)


def test_a_subscriber_that_is_not_required_stops_nothing(receiver: FakeReceiver) -> None:
    subscribe(receiver, required=False)
    pool, till = make_pool("sportloto-variant", lasts=timedelta(days=9)), make_till()
    number_what_happened()
    clock.move_clock(timedelta(days=3))
    stop_or_let_go_on()
    assert not Incident.objects.exists()
    assert sells(pool, till)
