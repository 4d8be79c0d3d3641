"""Staying away: cooling-off, self-exclusion, the register of restricted persons; closed on doubt (P2, C9)."""

from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from accounts.ledger.balances import balance
from accounts.models import (
    DeskCheck,
    DeskResult,
    Exclusion,
    InsiderKind,
    RegisterImport,
    RestrictedPerson,
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
from accounts.services.identity_numbers import number_digest
from accounts.services.insiders import list_insider
from accounts.services.limits import refuse_deposit_over_limits
from accounts.services.persons import person_at_desk, person_of
from accounts.services.restricted_register import import_register
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from pools.models import Settlement
from pools.services.betting import place_bet
from pools.services.sources import from_till
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
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db
NUMBER, BORN = "3310590A001PB5", date(1990, 5, 31)
OTHER = "4150685B002PB1"


def make_known_player(balance: int = 10_000) -> User:
    """A verified player whose identity number is NUMBER."""
    player = make_player(balance, may_bet=False)
    admit(player, identity_number=NUMBER, birth_date=BORN)
    return player


def read(*lines: str, as_of: datetime | None = None) -> RegisterImport:
    text = "\n".join(["identity_number;until", *lines])
    return import_register(text=text, as_of=as_of or clock.now(), actor="test").record


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


def test_a_restricted_person_is_stopped_in_every_channel_and_the_desk_says_only_that() -> None:
    pool, player, till = make_pool(), make_known_player(), make_till()
    at_desk = person_at_desk(identity_number=OTHER, birth_date=date(1985, 6, 15))
    read(f"{NUMBER};{clock.today() + timedelta(days=30)}", f"{OTHER};")
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.MAY_NOT_PLAY
    assert refused(partial(pay_in, player)).code == Refusal.MAY_NOT_PLAY
    assert till.cashier is not None
    sale = partial(
        place_bet,
        pool_code=pool.code,
        selections="1;1;1",
        stake=100,
        source=from_till(till.cashier, at_desk),
        idempotency_key="k",
    )
    assert refused(sale).code == Refusal.MAY_NOT_PLAY
    answer = check_person_at_desk(identity_number=NUMBER, birth_date=BORN, checked_by=till.cashier)
    assert answer == DeskResult.BARRED


def test_a_restriction_ends_with_its_last_day_in_minsk() -> None:
    pool, player = make_pool(lasts=timedelta(days=20)), make_known_player()
    last_day = clock.today() + timedelta(days=3)
    read(f"{NUMBER};{last_day.isoformat()}")
    midnight = datetime(last_day.year, last_day.month, last_day.day, 21, tzinfo=UTC)
    clock.move_clock(midnight - clock.now() - timedelta(minutes=1))
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.MAY_NOT_PLAY
    clock.move_clock(timedelta(minutes=1))
    bet_from_account(pool, player, "1;1;1", 100)


def test_a_register_that_was_not_read_for_a_week_closes_play_to_all_who_are_known() -> None:
    pool, player = make_pool(lasts=timedelta(days=20)), make_player(1_000)
    read()
    clock.move_clock(timedelta(days=7, seconds=-30))
    bet_from_account(pool, player, "1;1;1", 100)
    clock.move_clock(timedelta(seconds=30))
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.REGISTER_STALE
    assert refused(partial(pay_in, player)).code == Refusal.REGISTER_STALE
    till = make_till()
    assert till.cashier is not None
    answer = check_person_at_desk(identity_number=OTHER, birth_date=date(1985, 6, 15), checked_by=till.cashier)
    assert answer == DeskResult.DOUBT
    read()
    bet_from_account(pool, player, "1;1;1", 100)


def test_a_register_that_was_never_read_closes_play() -> None:
    till = make_till()
    assert till.cashier is not None
    assert not RegisterImport.objects.exists()
    answer = check_person_at_desk(identity_number=NUMBER, birth_date=BORN, checked_by=till.cashier)
    assert answer == DeskResult.DOUBT


def test_faulty_lines_are_named_the_others_bar_at_once_and_the_register_is_not_fresh() -> None:
    pool, named, other = make_pool(lasts=timedelta(days=20)), make_known_player(), make_player(1_000)
    clock.move_clock(timedelta(days=8))
    text = f"identity_number;until\n{NUMBER};\n?;\n\n{OTHER};31.12.2030\n{OTHER};2030-12-31;x\n"
    done = import_register(text=text, as_of=clock.now(), actor="test")
    assert [(line.number, line.fault.field) for line in done.faults] == [
        (3, "identity_number"),
        (5, "until"),
        (6, "file"),
    ]
    assert (done.record.lines, done.record.faults) == (1, 3)
    assert bytes(RestrictedPerson.objects.get().number_digest) == number_digest(NUMBER)
    assert refused(partial(bet_from_account, pool, named, "1;1;1", 100)).code == Refusal.MAY_NOT_PLAY
    assert refused(partial(bet_from_account, pool, other, "1;1;1", 100)).code == Refusal.REGISTER_STALE


@pytest.mark.parametrize("text", ["", "number;until\n", f"{NUMBER};\n"])
def test_a_file_of_another_form_is_refused_whole(text: str) -> None:
    act = partial(import_register, text=text, as_of=clock.now(), actor="test")
    assert refused(act).field == "file"


def test_a_register_of_the_future_is_refused() -> None:
    act = partial(
        import_register, text="identity_number;until\n", as_of=clock.now() + timedelta(minutes=1), actor="test"
    )
    assert refused(act).field == "as_of"


def test_no_reading_lets_anybody_go_early() -> None:
    soon, later = clock.today() + timedelta(days=10), clock.today() + timedelta(days=20)
    read(f"{NUMBER};{later}", f"{OTHER};")
    read(f"{NUMBER};{soon}")
    ends = {bytes(row.number_digest): (row.until, row.lifted_at is None) for row in RestrictedPerson.objects.all()}
    assert ends == {number_digest(NUMBER): (later, True), number_digest(OTHER): (None, False)}
    read(f"{OTHER};")
    assert not RestrictedPerson.objects.filter(lifted_at__isnull=False).exists()
    read("?;")  # with a fault: nobody is let go
    assert not RestrictedPerson.objects.filter(lifted_at__isnull=False).exists()
    read(as_of=clock.now() - timedelta(days=30))  # older than what was read before: neither
    assert not RestrictedPerson.objects.filter(lifted_at__isnull=False).exists()


def test_the_command_reads_a_file_and_ends_with_1_when_a_line_is_faulty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "register.csv"
    file.write_text(f"\ufeffidentity_number;until\n{NUMBER};2031-01-01\n", encoding="utf-8")
    moment = "2026-01-02T03:04:05"
    call_command("import_restricted_persons", str(file), "--as-of", moment)
    assert RegisterImport.objects.get().as_of == datetime(2026, 1, 2, 0, 4, 5, tzinfo=UTC)
    assert capsys.readouterr().out == "1 persons, 0 faulty lines\n"
    file.write_text("identity_number;until\n?;\n", encoding="utf-8")
    with pytest.raises(CommandError, match="not fresh"):
        call_command("import_restricted_persons", str(file), "--as-of", moment)


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
        make_known_player(),
        make_player(may_bet=False),
    )
    cool_off(person=person_of(excluded), days=1, actor=excluded.actor)
    read(f"{NUMBER};")
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
