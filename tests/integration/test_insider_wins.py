"""Wins rarer than luck explains: raised each month, published each year, made again to the byte (X11)."""

import json
from datetime import date, timedelta
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from accounts.models import InsiderKind
from accounts.services.insiders import list_insider
from payouts.models import PublishedInsiderWins
from payouts.queries.reports.binomial import rounded_up
from payouts.queries.reports.significant import significant_events
from payouts.services.insider_wins import look_for_rare_wins, publish_insider_wins, publish_past_years
from payouts.tasks import watch_insider_wins
from pools.models import Bet, LogEntry, LogKind
from tests.disputing import cancelled
from tests.making import bet_in_cash, make_organizers, make_pool, make_till
from tests.paying import go_to
from tests.refusals import refused
from tests.reporting import today
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord
from totalizator.engine.canonical import digest
from totalizator.engine.deadlines import start_of_legal_day

pytestmark = pytest.mark.django_db


def crooked_year() -> int:
    """A year in which one till sold winning bets only; the clock stands a day after it. Return the year."""
    crooked, honest = make_till(50_000), make_till(50_000)
    pool = make_pool("sportloto-variant")
    for _ in range(16):
        bet_in_cash(pool, crooked, "1", 100)
    for _ in range(60):
        bet_in_cash(pool, honest, "X", 100)
    settle(pool, "1")
    year_of_it = today().year
    go_to(start_of_legal_day(date(year_of_it + 1, 1, 2)))
    return year_of_it


def test_x11_a_year_is_published_once_for_good_and_made_again_to_the_byte() -> None:
    settled = crooked_year()
    assert refused(lambda: publish_insider_wins(settled + 1, actor="test")).code == Refusal.WRONG_STATE
    assert PublishedInsiderWins.objects.count() == 0
    assert publish_past_years(actor="test") == [settled]
    assert publish_past_years(actor="test") == []
    published = PublishedInsiderWins.objects.get()
    content = published.document_text.encode()
    entry = LogEntry.objects.get(kind=LogKind.REPORT)
    assert (entry.subject, entry.digest) == (f"insider-wins:{settled}", digest(content))
    groups = {group["who"]: group for group in json.loads(content)["groups"]}
    assert {who: (group["members"], len(group["rarer"])) for who, group in groups.items()} == {
        "cashier": (2, 1),
        "point": (2, 1),
        "agent": (0, 0),
        "insider": (0, 0),
    }
    assert (groups["cashier"]["bets"], groups["cashier"]["wins"], groups["cashier"]["expected_wins"]) == (76, 16, "16")
    (rare,) = groups["cashier"]["rarer"]
    assert (rare["bets"], rare["wins"], rare["expected_wins"]) == (16, 16, "64/19")
    assert rare["one_in"] == int(1 / rounded_up(Fraction(16, 76)) ** 16)  # sixteen of sixteen
    assert "user:" not in published.document_text


def test_x11_what_is_found_out_later_changes_nothing_of_a_year_that_is_over() -> None:
    crooked_year()
    publish_past_years(actor="test")
    list_insider(identity_number="INSIDER00002", kind=InsiderKind.STAFF, listed_by=make_organizers()[0])
    cancelled(Bet.objects.order_by("ticket")[0].ticket)
    call_command("check_insider_wins", stdout=(said := StringIO()))
    assert said.getvalue() == "OK\n"
    for change in ("UPDATE payouts_publishedinsiderwins SET year = 1", "DELETE FROM payouts_publishedinsiderwins"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    PublishedInsiderWins.objects.create(year=1999, document_text="{}", published_at=clock.now())
    with pytest.raises(SystemExit):
        call_command("check_insider_wins", stdout=(said := StringIO()))
    assert said.getvalue() == "1999 differs\n"


def test_x11_nothing_is_published_in_the_last_moments_of_a_year_or_before_anything_was_settled() -> None:
    assert publish_past_years(actor="test") == []
    settled = crooked_year()
    clock.move_clock(timedelta(seconds=-30))
    assert publish_past_years(actor="test") == []
    clock.move_clock(timedelta(seconds=30))
    assert publish_past_years(actor="test") == [settled]


def test_x11_rare_wins_are_a_significant_event_once_a_month() -> None:
    crooked_year()
    watch_insider_wins()
    watch_insider_wins()
    row = JournalRecord.objects.get(act="look_for_rare_wins")
    assert [told.rpartition(": ")[2][:9] for told in (row.after or {})["rarer"]] == ["16 of 16,"] * 2
    now = clock.now()
    events = significant_events(now - timedelta(days=1), now + timedelta(seconds=1))
    assert [event.subject for event in events if event.kind == "look_for_rare_wins"] == [row.subject]
    clock.move_clock(timedelta(days=62))
    assert look_for_rare_wins(actor="test") is not None
    assert look_for_rare_wins(actor="test") is None


def test_x11_a_month_in_which_nobody_was_luckier_than_luck_is_no_event() -> None:
    assert look_for_rare_wins(actor="test") == []
    now = clock.now()
    found = significant_events(now - timedelta(days=1), now + timedelta(seconds=1))
    assert "look_for_rare_wins" not in [event.kind for event in found]
