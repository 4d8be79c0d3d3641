"""Staying away by one's own wish; what a desk is told; who gets advertisements (P2, C9)."""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import balance
from accounts.models import (
    DeskCheck,
    DeskResult,
    Exclusion,
    InsiderKind,
    User,
)
from accounts.queries.exclusions import (
    exclusions_late_to_forward,
    exclusions_to_forward,
    marketing_audience,
    may_receive_marketing,
)
from accounts.services.desk_checks import check_person_at_desk
from accounts.services.exclusion import cool_off, exclude_oneself, note_forwarded
from accounts.services.insiders import list_insider
from accounts.services.limits import refuse_deposit_over_limits
from accounts.services.persons import person_at_desk, person_of
from accounts.services.restricted_register import import_register
from accounts.tasks import warn_of_late_forwards as warn_of_late_forwards_task
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Settlement
from tests.making import (
    account_of,
    admit,
    bet_from_account,
    keep_register_fresh,
    make_organizers,
    make_player,
    make_pool,
    make_till,
)
from tests.refusals import refused
from tests.settling import settle
from totalizator.celery import TICKS
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
NUMBER, BORN = "3310590A001PB5", date(1990, 5, 31)
OTHER = "4150685B002PB1"


def pay_in(player: User) -> None:
    with transaction.atomic():
        refuse_deposit_over_limits(player=player, amount=1, at=clock.now())


def test_self_exclusion_stops_bets_and_deposits_to_the_end_of_the_last_day_and_not_the_money() -> None:
    pool, player = make_pool(lasts=timedelta(days=300)), make_player(10_000)
    clock.move_clock(datetime(2027, 3, 31, 9, tzinfo=UTC) - clock.now())
    pool, _old = make_pool(lasts=timedelta(days=300), opens_in=timedelta(minutes=1)), pool
    exclusion = exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    assert exclusion.ends_at == datetime(2027, 9, 30, 21, tzinfo=UTC)  # midnight in Minsk after 30 September
    refusal = refused(partial(bet_from_account, pool, player, "1;1;1", 100))
    assert (refusal.code, refusal.details["until"]) == (Refusal.MAY_NOT_PLAY, exclusion.ends_at)
    assert refused(partial(pay_in, player)).code == Refusal.MAY_NOT_PLAY
    clock.move_clock(exclusion.ends_at - clock.now() - timedelta(minutes=1))
    keep_register_fresh()
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.MAY_NOT_PLAY
    clock.move_clock(timedelta(minutes=1))
    bet_from_account(pool, player, "1;1;1", 100)


def test_who_excludes_themselves_after_betting_is_still_paid() -> None:
    pool, player = make_pool("totolot-variant", lasts=timedelta(hours=1)), make_player(1_000)
    bet_from_account(pool, player, "1", 1_000)
    exclude_oneself(person=person_of(player), months=36, actor=player.actor)
    settle(pool, "1")
    book_payables(code=pool.code)
    payable_from = Settlement.objects.get(pool=pool).payable_from
    assert payable_from is not None
    clock.move_clock(payable_from - clock.now())
    assert credit_accounts(code=pool.code) == 1
    assert balance(account_of(player).ledger_account) > 0


def test_nothing_shortens_an_exclusion_and_a_longer_one_prolongs_it() -> None:
    pool, player = make_pool(), make_player(1_000)
    person = person_of(player)
    long = exclude_oneself(person=person, months=12, actor=player.actor)
    cool_off(person=person, days=1, actor=player.actor)
    refusal = refused(partial(bet_from_account, pool, player, "1;1;1", 100))
    assert refusal.details["until"] == long.ends_at
    for sql in ("UPDATE accounts_exclusion SET ends_at = begins_at", "DELETE FROM accounts_exclusion"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)


@pytest.mark.parametrize("months", [5, 37, 0, -6])
def test_self_exclusion_is_for_6_to_36_months(months: int) -> None:
    person = person_of(make_player())
    refusal = refused(partial(exclude_oneself, person=person, months=months, actor="test"))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "months")


@pytest.mark.parametrize("days", [0, 181])
def test_cooling_off_is_for_1_to_180_days(days: int) -> None:
    person = person_of(make_player())
    assert refused(partial(cool_off, person=person, days=days, actor="test")).field == "days"


def test_cooling_off_ends_after_so_many_times_24_hours() -> None:
    pool, player = make_pool(lasts=timedelta(days=9)), make_player(1_000)
    exclusion = cool_off(person=person_of(player), days=2, actor=player.actor)
    assert exclusion.ends_at - exclusion.begins_at == timedelta(hours=48)
    clock.move_clock(timedelta(hours=48))
    bet_from_account(pool, player, "1;1;1", 100)


def test_an_application_goes_on_to_the_register_within_a_day() -> None:
    player, (staff, _second) = make_player(), make_organizers()
    exclusion = exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    cooling = cool_off(person=person_of(player), days=1, actor=player.actor)
    assert list(exclusions_to_forward()) == [exclusion]
    assert not exclusions_late_to_forward(exclusion.begins_at + timedelta(hours=24)).exists()
    assert exclusions_late_to_forward(exclusion.begins_at + timedelta(hours=24, seconds=1)).get() == exclusion
    forward = partial(note_forwarded, exclusion=exclusion, reference="Letter 7", forwarded_by=staff)
    assert refused(partial(forward, forwarded_by=player)).code == Refusal.NOT_ALLOWED
    assert refused(partial(forward, reference=" ")).field == "reference"
    assert refused(partial(forward, exclusion=cooling)).code == Refusal.WRONG_STATE
    assert forward() == forward(reference="Letter 8")
    assert not exclusions_to_forward().exists()


def test_c9_the_desk_gets_one_answer_and_nothing_of_the_person_is_kept() -> None:
    till, today = make_till(), clock.today()
    cashier = till.cashier
    assert cashier is not None
    (staff, _second) = make_organizers()
    keep_register_fresh()
    list_insider(identity_number="STAFF1", kind=InsiderKind.STAFF, listed_by=staff)
    excluded = person_at_desk(identity_number=OTHER, birth_date=date(1985, 6, 15))
    cool_off(person=excluded, days=1, actor=cashier.actor)
    youth = date(today.year - 21, today.month, today.day) + timedelta(days=1)
    answers = {
        number: check_person_at_desk(identity_number=number, birth_date=born, checked_by=cashier)
        for number, born in ((NUMBER, BORN), (OTHER, date(1985, 6, 15)), ("STAFF1", BORN), ("YOUNG1", youth))
    }
    assert list(answers.values()) == [
        DeskResult.WELCOME,
        DeskResult.BARRED,
        DeskResult.BARRED,
        DeskResult.UNDER_AGE,
    ]
    assert list(DeskCheck.objects.order_by("pk").values_list("result", "checked_by")) == [
        (result, cashier.pk) for result in answers.values()
    ]
    columns = {field.name for field in DeskCheck._meta.get_fields()}
    assert columns == {"id", "result", "checked_by", "checked_at"}
    assert NUMBER not in str(JournalRecord.objects.order_by("-pk").values())
    act = partial(check_person_at_desk, identity_number=NUMBER, birth_date=BORN, checked_by=make_player())
    assert refused(act).code == Refusal.NOT_ALLOWED
    assert refused(partial(act, birth_date=date(1990, 5, 30), checked_by=cashier)).field == "birth_date"


def test_advertisements_go_only_to_who_may_play() -> None:
    fine, excluded, restricted, unknown = (
        make_player(),
        make_player(),
        make_player(may_bet=False),
        make_player(may_bet=False),
    )
    cool_off(person=person_of(excluded), days=1, actor=excluded.actor)
    admit(restricted, identity_number=NUMBER, birth_date=BORN)
    import_register(text=f"identity_number;until\n{NUMBER};\n", as_of=clock.now(), actor="test")
    at = clock.now()
    assert list(marketing_audience(at)) == [person_of(fine)]
    for player in (excluded, restricted, unknown):
        assert not may_receive_marketing(person_of(player), at)
    clock.move_clock(timedelta(days=7))
    assert list(marketing_audience(clock.now())) == []  # in doubt to nobody


def test_an_unverified_players_own_exclusion_goes_with_them_to_the_desks_person() -> None:
    person = person_at_desk(identity_number=NUMBER, birth_date=BORN)
    player = make_player(1_000, may_bet=False)
    exclude_oneself(person=person_of(player), months=6, actor=player.actor)
    admit(player, identity_number=NUMBER, birth_date=BORN)
    assert person_of(player) == person
    assert Exclusion.objects.filter(person=person).count() == 1
    with pytest.raises(DomainError) as caught:
        bet_from_account(make_pool(), player, "1;1;1", 100)
    assert caught.value.code == Refusal.MAY_NOT_PLAY


def test_p2_an_application_that_is_not_sent_on_in_time_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    person, other = person_of(make_player()), person_of(make_player())
    late = exclude_oneself(person=person, months=6, actor="test")
    cool_off(person=other, days=1, actor="test")
    clock.move_clock(timedelta(hours=24, seconds=-30))
    warn_of_late_forwards_task()
    assert not JournalRecord.objects.filter(act="warn_of_late_forward").exists()
    clock.move_clock(timedelta(minutes=1))
    for _ in range(2):
        warn_of_late_forwards_task()
    record = JournalRecord.objects.get(act="warn_of_late_forward")
    assert (record.subject, record.actor) == (f"exclusion:{late.pk}", "task:warn_of_late_forward")
    assert record.after == {"person": person.pk, "begins_at": late.begins_at.isoformat()}
    assert [line.getMessage() for line in caplog.records if "sent on" in line.getMessage()] == [
        f"Self-exclusion {late.pk} has not been sent on to the register in time."
    ]


def test_p2_one_that_was_sent_on_late_by_then_is_not_warned_of() -> None:
    late = exclude_oneself(person=person_of(make_player()), months=6, actor="test")
    clock.move_clock(timedelta(hours=30))
    note_forwarded(exclusion=late, reference="Letter 5", forwarded_by=make_organizers()[0])
    warn_of_late_forwards_task()
    assert not JournalRecord.objects.filter(act="warn_of_late_forward").exists()


def test_the_warning_comes_by_itself() -> None:
    assert TICKS[warn_of_late_forwards_task.name]["schedule"] == 600
