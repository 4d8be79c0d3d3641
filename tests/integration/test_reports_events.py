"""Significant events: each trigger is told with its day, seen to by name, and flagged when nobody sees to it (N4)."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from payouts.queries.reports.significant import ACTS, CHECKS, SignificantEvent, significant_events
from payouts.services.significant_events import acknowledge_event, flag_overdue_events
from payouts.tasks import flag_unseen_events
from pools.models import Bet
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.making import make_organizers, make_player, make_pool
from tests.paying import go_to
from tests.refusals import refused
from tests.reporting import report, today
from tests.settling import sell, settle, winnings_of
from totalizator.core import clock
from totalizator.core.act_names import ACT_NAMES
from totalizator.core.errors import Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal_calendar import load_non_working_days
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db


def journal(act: str, subject: str = "pool:X", after: Mapping[str, object] | None = None) -> None:
    write_journal(at=clock.now(), actor="test", act=act, subject=subject, reason="why", after=after)


def found() -> list[SignificantEvent]:
    now = clock.now()
    return significant_events(now - timedelta(days=1), now + timedelta(seconds=1))


def kinds() -> list[str]:
    return [event.kind for event in found()]


def test_n4_every_trigger_makes_an_event_and_what_is_no_trigger_makes_none() -> None:
    before = len(found())
    for act in ACTS:
        journal(act)
    for check, field in CHECKS.items():
        journal(check, after={field: ["something"]})
    journal("settle_pool_failed")
    expected = [*ACTS, *CHECKS, "settle_pool_failed"]
    assert sorted(kinds()[before:]) == sorted(expected)
    for check, field in CHECKS.items():
        journal(check, after={field: []})
    journal("reconcile")
    journal("place_bet")
    assert len(found()) == before + len(expected)
    assert {act for act in (*ACTS, *CHECKS) if act not in ACT_NAMES} == {"staff_row_added"}  # by the database itself


def test_n4_late_bets_are_an_event() -> None:
    pool = make_pool("sportloto-variant")
    sell(pool, ("1", 100), ("X", 100))
    (early, late) = Bet.objects.filter(pool=pool).order_by("registered_at")
    assert early.registered_at < late.registered_at
    clock.move_clock(timedelta(minutes=5))
    sell(pool, ("1", 100))
    settle(pool, "1", started_at=(late.registered_at + timedelta(minutes=1)).replace(microsecond=0))
    (event,) = [event for event in found() if event.kind == "late"]
    assert (event.key, event.subject, event.number) == (f"late:{pool.code}", f"pool:{pool.code}", 1)


def test_n4_a_large_winning_is_an_event_and_one_kopeck_less_is_none() -> None:
    for rest, large in ((1_666_566, True), (1_666_565, False)):  # a fund of 10,000.00, or a kopeck less, for one
        pool = make_pool("totolot-variant")
        ticket, _other = sell(pool, ("1", 100), ("X", rest))
        settle(pool, "1")
        told = [event for event in found() if event.kind == "large" and event.key == f"large:{ticket}"]
        assert [event.number for event in told] == ([1_000_000] if large else [])


def test_n4_what_is_large_by_several_levels_together_is_told_by_the_number_of_the_day() -> None:
    pool = make_pool()
    ticket, _other = sell(pool, ("1;X;1+2", 200), ("2;1;X", 100))
    settle(pool, "1;X;2")
    won = winnings_of(pool)
    assert len(won) == 2, "the ticket wins on two levels"
    for large, told in ((sum(won.values()), True), (sum(won.values()) + 1, False)):
        LegalNumber.objects.create(name="large_winning_from", valid_from=today(), value=str(large), source="test")
        assert [event.key for event in found() if event.kind == "large"] == ([f"large:{ticket}"] if told else [])


def test_n4_scans_of_a_forged_ticket_are_one_event_beyond_five_a_day() -> None:
    for _ in range(5):
        journal("refuse_ticket", "network:192.0.2.7")
    assert "forged" not in kinds()
    for _ in range(3):
        journal("refuse_ticket", "network:192.0.2.7")
        journal("refuse_ticket", "network:192.0.2.8")
    (event,) = [event for event in found() if event.kind == "forged"]
    assert (event.subject, event.number) == ("network:192.0.2.7", 8)
    sixth = JournalRecord.objects.filter(act="refuse_ticket", subject="network:192.0.2.7").order_by("pk")[5]
    assert event.at == sixth.at


def test_n4_it_is_due_by_the_end_of_the_next_working_day() -> None:
    load_non_working_days(2026, 2028)
    for day, due in ((datetime(2027, 6, 3, 9, tzinfo=UTC), 4), (datetime(2027, 6, 4, 20, 59, tzinfo=UTC), 7)):
        go_to(day)
        journal("pause_sales", f"pause:{day.day}")
        (event,) = [event for event in found() if event.subject == f"pause:{day.day}"]
        assert event.due == datetime(2027, 6, due, 21, tzinfo=UTC)  # midnight in Minsk


def test_n4_it_is_seen_to_once_by_the_staff_with_words() -> None:
    staff, other = make_organizers()
    pool = make_pool("sportloto-variant")
    propose_cancellation(code=pool.code, reason="The cup is off.", document="Letter 7", proposed_by=staff)
    approve_cancellation(code=pool.code, approved_by=other)
    (event,) = [event for event in found() if event.kind == "approve_cancellation"]
    player = make_player()
    for act, code in (
        (lambda: acknowledge_event(key=event.key, words="x", acknowledged_by=player), Refusal.NOT_ALLOWED),
        (lambda: acknowledge_event(key="journal:0", words="x", acknowledged_by=staff), Refusal.NOT_FOUND),
        (lambda: acknowledge_event(key=event.key, words=" ", acknowledged_by=staff), Refusal.BAD_VALUE),
    ):
        assert refused(act).code == code
    seen = acknowledge_event(key=event.key, words="Told the ministry.", acknowledged_by=staff)
    assert (seen.seen_by, seen.words) == (staff.actor, "Told the ministry.")
    twice = refused(lambda: acknowledge_event(key=event.key, words="Again.", acknowledged_by=other))
    assert twice.code == Refusal.WRONG_STATE
    with translation.override("en"):
        rows = report("events", today(), today()).rows
    (row,) = [row for row in rows if row[0] == event.key]
    assert row[2:5] == ("The cancellation is approved", f"pool:{pool.code}", "The cup is off.")
    assert (row[6], row[8]) == (staff.actor, "Told the ministry.")


def test_n4_what_nobody_saw_in_time_is_flagged_once() -> None:
    staff, _other = make_organizers()
    for act in ("pause_sales", "guarantee_shortfall"):
        journal(act)
    events = [event for event in found() if event.kind in ("pause_sales", "guarantee_shortfall")]
    acknowledge_event(key=events[0].key, words="Seen.", acknowledged_by=staff)
    go_to(events[0].due - timedelta(seconds=5))
    assert [event.key for event in flag_overdue_events()] == []
    go_to(events[1].due)
    assert events[1].key in [event.key for event in flag_overdue_events()]
    flag_unseen_events()
    subject = f"event:{events[1].key}"
    assert JournalRecord.objects.filter(act="event_overdue", subject=subject).count() == 1
    assert not JournalRecord.objects.filter(act="event_overdue", subject=f"event:{events[0].key}").exists()
