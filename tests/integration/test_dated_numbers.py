"""A dated number changes by two people, from a day to come, and never in silence (N4, D-17)."""

from datetime import date, timedelta
from fractions import Fraction
from functools import partial

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import translation

from accounts.models import NumberProposal, User
from accounts.services.dated_numbers import approve_number, propose_number
from payouts.queries.reports.significant import significant_events
from tests.making import make_organizers, make_player
from tests.paying import go_to
from tests.refusals import every_row, refused
from tests.reporting import report, today
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.journal import write_journal
from totalizator.core.legal import forget_legal_numbers, legal_number, legal_numbers
from totalizator.core.legal_calendar import LEGAL_NUMBERS, SWITCHES, load_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber
from totalizator.engine.deadlines import start_of_legal_day

pytestmark = pytest.mark.django_db
LEAD = 3


def on(days: int) -> date:
    return today() + timedelta(days=days)


def proposed(by: User, value: str = "7", days: int = LEAD, name: str = "refused_scans") -> NumberProposal:
    return propose_number(
        name=name, value=value, valid_from=on(days), source="Order 9", reason="Fewer slips", proposed_by=by
    )


def test_n4_two_people_change_a_number_from_a_day_to_come_and_nothing_before_it() -> None:
    one, other = make_organizers()
    day = on(LEAD)
    proposal = proposed(one)
    assert LegalNumber.objects.filter(name="refused_scans").count() == 1
    approve_number(number=proposal.pk, approved_by=other)
    assert [legal_number("refused_scans", day - timedelta(days=1)), legal_number("refused_scans", day)] == [5, 7]
    go_to(start_of_legal_day(day) - timedelta(seconds=20))
    assert legal_numbers(clock.now())["refused_scans"] == 5
    go_to(start_of_legal_day(day))
    assert legal_numbers(clock.now())["refused_scans"] == 7
    rows = JournalRecord.objects.filter(subject="number:refused_scans").order_by("pk")
    after = {"value": "7", "valid_from": day.isoformat(), "source": "Order 9"}
    assert list(rows.values_list("act", "actor", "reason", "before", "after")) == [
        ("propose_number", one.actor, "Fewer slips", {"value": "5"}, after),
        ("approve_number", other.actor, "Fewer slips", {"value": "5"}, after | {"proposed_by": one.actor}),
    ]


def test_n4_a_changed_number_is_a_significant_event() -> None:
    one, other = make_organizers()
    approve_number(number=proposed(one).pk, approved_by=other)
    with translation.override("en"):
        rows = [row for row in report("events", today(), today()).rows if row[3] == "number:refused_scans"]
    assert [(row[2], row[4]) for row in rows] == [("A dated number is changed", "Fewer slips")]


def test_n4_neither_one_person_nor_too_soon_nor_what_a_number_cannot_be() -> None:
    (one, other), player = make_organizers(), make_player()
    waiting = proposed(one)
    before = every_row()
    for act, code, field in (
        (lambda: proposed(player), Refusal.NOT_ALLOWED, None),
        (lambda: proposed(one, days=LEAD - 1), Refusal.BAD_VALUE, "valid_from"),
        (lambda: proposed(one, days=-400), Refusal.BAD_VALUE, "valid_from"),
        (lambda: proposed(one, name="lucky_number"), Refusal.NOT_FOUND, "name"),
        (lambda: approve_number(number=waiting.pk, approved_by=one), Refusal.SAME_PERSON, None),
        (lambda: approve_number(number=waiting.pk, approved_by=player), Refusal.NOT_ALLOWED, None),
        (lambda: approve_number(number=0, approved_by=other), Refusal.NOT_FOUND, "number"),
    ):
        refusal = refused(act)
        assert (refusal.code, refusal.field) == (code, field)
    for name, value in (
        ("refused_scans", "-1"), ("refused_scans", "1/2"), ("refused_scans", "five"), ("refused_scans", "٣"),
        ("refused_scans", "1/0"), ("refused_scans", ""), ("winning_tax_rate", "21/20"), ("cash_step", "0"),
        ("stake_is_taxed", "2"), ("minimum_age", "151"), ("dispute_days", "36601"), ("retention_years_ledger", "101"),
        ("number_change_lead_days", "0"), ("large_winning_from", "1" + "0" * 14),
    ):  # fmt: skip
        assert refused(partial(proposed, one, value, name=name)).field == "value", (name, value)
    assert every_row() == before
    for name, value, kept in (
        ("winning_tax_rate", "13/100", "13/100"),
        ("winning_tax_rate", "0", "0"),
        ("cash_step", "10", "10"),
    ):
        assert proposed(one, value, name=name).value == kept
    assert proposed(one, "2/40", name="winning_tax_rate").value == "1/20"


def test_n4_what_was_approved_too_late_holds_nothing() -> None:
    one, other = make_organizers()
    proposal = proposed(one)
    clock.move_clock(timedelta(days=1))
    before = every_row()
    refusal = refused(lambda: approve_number(number=proposal.pk, approved_by=other))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "valid_from")
    assert every_row() == before


def test_n4_only_the_latest_proposal_stands_and_what_does_not_hold_yet_is_put_right() -> None:
    one, other = make_organizers()
    first, second = proposed(one, "70", days=9), proposed(one, "7", days=9)
    assert refused(lambda: approve_number(number=first.pk, approved_by=other)).code == Refusal.WRONG_STATE
    approve_number(number=second.pk, approved_by=other)
    assert refused(lambda: approve_number(number=second.pk, approved_by=other)).code == Refusal.WRONG_STATE
    right = proposed(other, "6", days=9)
    approve_number(number=right.pk, approved_by=one)
    assert legal_number("refused_scans", on(9)) == 6
    go_to(start_of_legal_day(on(9)))
    forget_legal_numbers()
    assert legal_numbers(clock.now())["refused_scans"] == 6
    event = JournalRecord.objects.get(act="approve_number", actor=one.actor)
    assert event.before == {"value": "7"}


def test_n4_the_number_of_the_day_decides_what_is_significant() -> None:
    one, other = make_organizers()
    approve_number(number=proposed(one, "1").pk, approved_by=other)
    days = [start_of_legal_day(on(LEAD - 1)) + timedelta(hours=9), start_of_legal_day(on(LEAD)) + timedelta(hours=9)]
    for at in days:
        for _ in range(2):
            write_journal(at=at, actor="test", act="refuse_ticket", subject="network:192.0.2.7")
    found = significant_events(days[0] - timedelta(hours=9), days[1] + timedelta(hours=9))
    assert [(event.kind, event.number, event.at) for event in found if event.kind == "forged"] == [
        ("forged", 2, days[1])
    ]


def test_values_that_were_entered_stay_when_the_calendar_is_loaded_again() -> None:
    one, other = make_organizers()
    approve_number(number=proposed(one).pk, approved_by=other)
    before = LegalNumber.objects.count()
    load_legal_numbers()
    assert LegalNumber.objects.count() == before == len(LEGAL_NUMBERS) + 1
    assert {name for name, *_rest in LEGAL_NUMBERS} > SWITCHES
    for table in ("accounts_numberproposal", "accounts_numberdecision"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")


def test_every_first_value_is_one_that_the_number_can_have() -> None:
    one, _other = make_organizers()
    for name, _day, value, _source in LEGAL_NUMBERS:
        assert Fraction(proposed(one, value, name=name).value) == Fraction(value)


def test_the_journal_is_found_by_time_without_reading_all_of_it() -> None:
    at = clock.now()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN SELECT * FROM core_journalrecord WHERE at >= %s AND at < %s", [at, at])
        assert "core_journal_by_time" in str(cursor.fetchall())
