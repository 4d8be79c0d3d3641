"""The register of restricted persons: in every channel, closed on doubt (P2)."""

from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from accounts.models import (
    DeskResult,
    RegisterImport,
    RestrictedPerson,
    User,
)
from accounts.services.desk_checks import check_person_at_desk
from accounts.services.identity_numbers import number_digest
from accounts.services.limits import refuse_deposit_over_limits
from accounts.services.persons import person_at_desk
from accounts.services.restricted_register import import_register
from pools.services.betting import place_bet
from pools.services.sources import from_till
from tests.making import (
    admit,
    bet_from_account,
    make_player,
    make_pool,
    make_till,
)
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal

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


def test_a_file_that_names_nobody_lets_nobody_go() -> None:
    player = make_known_player()
    read(f"{NUMBER};")
    refusal = refused(read)
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "file")
    assert RestrictedPerson.objects.get().lifted_at is None
    assert refused(partial(pay_in, player)).code is Refusal.MAY_NOT_PLAY


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
    others = [f"PADDED{number:04};" for number in range(40)]  # one less of so many is believed
    read(f"{NUMBER};{later}", f"{OTHER};", *others)
    read(f"{NUMBER};{soon}", *others)
    known = RestrictedPerson.objects.filter(number_digest__in=[number_digest(NUMBER), number_digest(OTHER)])
    ends = {bytes(row.number_digest): (row.until, row.lifted_at is None) for row in known}
    assert ends == {number_digest(NUMBER): (later, True), number_digest(OTHER): (None, False)}
    read(f"{OTHER};", *others)
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
