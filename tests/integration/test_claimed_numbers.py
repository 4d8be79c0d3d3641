"""A number that nobody has verified is only claimed: it neither frees nor harms the person who has it (X15, P2)."""

from datetime import date
from functools import partial

import pytest

from accounts.models import DeskResult, LimitKind, LimitPeriod, Person, PlayLimit, User, VerificationMethod
from accounts.services.desk_checks import check_person_at_desk
from accounts.services.exclusion import cool_off
from accounts.services.identity import record_identity, verify_identity
from accounts.services.limits import set_limit
from accounts.services.persons import person_at_desk, person_of
from pools.models import Bet
from pools.services.rules import accept_rules
from tests.carding import bet_by_card, bought
from tests.making import (
    account_of,
    admit,
    keep_register_fresh,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    put_on_account,
)
from tests.refusals import refused
from totalizator.core.errors import Refusal

pytestmark = pytest.mark.django_db
BORN = date(1990, 5, 31)
NUMBER, OTHER = "3310590A001PB5", "3310590A002PB5"


def claim(player: User, number: str) -> None:
    record_identity(
        player=player,
        full_name="Янка Купала",
        birth_date=BORN,
        identity_number=number,
        document="MP1234567",
        actor=player.actor,
    )


def at_desk(number: str) -> DeskResult:
    till = make_till()
    assert till.cashier is not None
    return check_person_at_desk(identity_number=number, birth_date=BORN, checked_by=till.cashier)


def test_an_exclusion_is_not_shed_by_recording_another_number() -> None:
    keep_register_fresh()
    person, player = person_at_desk(identity_number=NUMBER, birth_date=BORN), make_player(may_bet=False)
    cool_off(person=person, days=30, actor="test")
    claim(player, NUMBER)
    claim(player, OTHER)
    assert at_desk(NUMBER) == DeskResult.BARRED
    assert person_at_desk(identity_number=NUMBER, birth_date=BORN) == person
    assert at_desk(OTHER) == DeskResult.WELCOME


def test_who_claims_the_number_of_an_excluded_person_pays_nothing_in() -> None:
    keep_register_fresh()
    player = make_player(may_bet=False)
    exclusion = cool_off(person=person_at_desk(identity_number=NUMBER, birth_date=BORN), days=30, actor="test")
    claim(player, NUMBER)
    refusal = refused(partial(put_on_account, account_of(player), 100, reference="early"))
    assert (refusal.code, refusal.details["until"]) == (Refusal.MAY_NOT_PLAY, exclusion.ends_at)


def test_what_a_claimant_asks_for_does_not_bind_the_person_with_the_number() -> None:
    keep_register_fresh()
    person, stranger = person_at_desk(identity_number=NUMBER, birth_date=BORN), make_player(may_bet=False)
    set_limit(person=person, kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=900, actor="test")
    claim(stranger, NUMBER)
    cool_off(person=person_of(stranger), days=30, actor="test")
    set_limit(person=person_of(stranger), kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=1, actor="test")
    assert at_desk(NUMBER) == DeskResult.WELCOME
    assert PlayLimit.objects.get(person=person).amount == 900


def test_the_number_is_the_players_once_somebody_has_seen_the_document() -> None:
    (staff, _second), player = make_organizers(), make_player(may_bet=False)
    person = person_at_desk(identity_number=NUMBER, birth_date=BORN)
    claim(player, NUMBER)
    assert person_of(player) != person
    verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=staff)
    assert person_of(player) == person
    assert Person.objects.get(identity__isnull=False) == person


def test_a_player_who_is_logged_in_and_not_verified_pays_with_no_card_either() -> None:
    pool, player, card = make_pool(), make_player(may_bet=False), bought(make_till())[0]
    pay_by_card = partial(bet_by_card, pool, card, "1;1;1", 100, asked_by=player)
    keep_register_fresh()
    claim(player, NUMBER)
    assert refused(pay_by_card).code == Refusal.NOT_VERIFIED
    assert (Bet.objects.count(), card.money) == (0, 1_000)
    accept_rules(player=player, version=pool.terms.rules_version)
    admit(player, identity_number=NUMBER, birth_date=BORN)
    assert pay_by_card().bet.person == person_of(player)


def test_a_player_who_is_logged_in_agrees_to_the_rules_before_a_card_pays() -> None:
    pool, player, card = make_pool(), make_player(may_bet=False), bought(make_till())[0]
    pay_by_card = partial(bet_by_card, pool, card, "1;1;1", 100, asked_by=player)
    (staff, _second) = make_organizers()
    keep_register_fresh()
    claim(player, NUMBER)
    verify_identity(player=player, method=VerificationMethod.VIDEO, verified_by=staff)
    assert refused(pay_by_card).code == Refusal.CONSENT_NEEDED
    assert card.money == 1_000


@pytest.mark.parametrize("born", [date(1, 1, 1), date(1890, 1, 1), date(2030, 1, 1)])
def test_nobody_alive_was_born_then(born: date) -> None:
    refusal = refused(partial(person_at_desk, identity_number="FOREIGN12", birth_date=born))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, "birth_date")
    assert not Person.objects.exists()
