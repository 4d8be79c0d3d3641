"""Who a player is: recorded, verified, of age, once (¶35.3, E1, E6)."""

from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import (
    Identity,
    Insider,
    InsiderKind,
    Person,
    Role,
    User,
    Verification,
    VerificationMethod,
)
from accounts.services.game_accounts import open_game_account
from accounts.services.identity import record_identity, verify_identity
from accounts.services.insiders import end_insider, list_insider
from accounts.services.persons import person_of
from accounts.services.roles import approve_role, propose_role
from accounts.services.standing import age_on
from pools.models import Bet
from pools.services.rules import accept_rules, publish_rules
from tests.making import (
    account_of,
    admit,
    bet_from_account,
    make_organizers,
    make_player,
    make_pool,
    make_till,
    make_user,
)
from tests.refusals import refused
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.legal import forget_legal_numbers
from totalizator.core.models import JournalRecord, LegalNumber

pytestmark = pytest.mark.django_db
BORN = date(1990, 5, 31)
NUMBER = "3310590A001PB5"


def record(player: User, **changes: Any) -> Identity:
    given: dict[str, Any] = {
        "full_name": "Янка Купала",
        "birth_date": BORN,
        "identity_number": NUMBER,
        "document": "MP1234567",
        "bank_account": "BY52 OLMP 3013 0000 0000 0000 0001",
        "actor": player.actor,
    }
    return record_identity(player=player, **{**given, **changes})


def test_an_unverified_player_cannot_bet_and_a_verified_one_can() -> None:
    pool, player, (staff, _second) = make_pool(), make_player(1_000, may_bet=False), make_organizers()
    accept_rules(player=player, version=pool.terms.rules_version)
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.NOT_VERIFIED
    record(player)
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.NOT_VERIFIED
    verify_identity(player=player, method=VerificationMethod.VIDEO, verified_by=staff)
    assert bet_from_account(pool, player, "1;1;1", 100).bet.player == player


def test_a_verification_tells_how_who_and_when() -> None:
    player, till, before = make_player(may_bet=False), make_till(), clock.now()
    record(player)
    assert till.cashier is not None
    verify_identity(player=player, method=VerificationMethod.IN_PERSON, verified_by=till.cashier)
    verification = Verification.objects.get()
    assert (verification.method, verification.verified_by) == ("in-person", till.cashier)
    assert before < verification.verified_at < clock.now()
    last = JournalRecord.objects.order_by("-pk")[0]
    assert (last.act, last.subject, last.after) == (
        "verify_identity",
        f"person:{person_of(player).pk}",
        {"method": "in-person"},
    )
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM accounts_verification")


@pytest.mark.parametrize("role", [Role.PLAYER, Role.COMMISSION])
def test_only_cashiers_and_the_organizers_staff_verify(role: Role) -> None:
    player, other = make_player(may_bet=False), make_user(role)
    record(player)
    act = partial(verify_identity, player=player, method=VerificationMethod.VIDEO, verified_by=other)
    assert refused(act).code == Refusal.NOT_ALLOWED


def test_nothing_is_verified_that_was_not_recorded_and_nothing_twice() -> None:
    player, (staff, _second) = make_player(may_bet=False), make_organizers()
    act = partial(verify_identity, player=player, method=VerificationMethod.VIDEO, verified_by=staff)
    assert refused(act).code == Refusal.NOT_FOUND
    record(player)
    act()
    assert refused(act).code == Refusal.WRONG_STATE
    assert refused(partial(record, player, full_name="Somebody Else")).code == Refusal.WRONG_STATE


def test_an_identity_can_be_recorded_again_until_it_is_verified() -> None:
    player = make_player(may_bet=False)
    record(player, identity_number="3310590A002PB5", full_name="A Mistake")
    record(player)
    identity = Identity.objects.get()
    assert (identity.full_name, identity.identity_number) == ("Янка Купала", NUMBER)
    assert identity.bank_account == "BY52OLMP30130000000000000001"


@pytest.mark.parametrize(
    "spelling", [NUMBER, NUMBER.lower(), " 3310590 A001 PB5 ", "3310590-А001РВ5", "3310590а001рв5"]
)
def test_one_person_one_account_however_the_number_is_typed(spelling: str) -> None:
    """The last two are typed on a Cyrillic keyboard."""
    record(make_player(may_bet=False))
    refusal = refused(partial(record, make_player(may_bet=False), identity_number=spelling))
    assert (refusal.code, refusal.field) == (Refusal.PERSON_KNOWN, "identity_number")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"identity_number": "?"}, "identity_number"),
        ({"identity_number": ""}, "identity_number"),
        ({"birth_date": date(1990, 5, 30)}, "birth_date"),
        ({"full_name": "  "}, "full_name"),
        ({"document": ""}, "document"),
    ],
)
def test_a_faulty_entry_names_its_field(changes: dict[str, Any], field: str) -> None:
    refusal = refused(partial(record, make_player(may_bet=False), **changes))
    assert (refusal.code, refusal.field) == (Refusal.BAD_VALUE, field)


def test_who_turns_21_today_may_and_tomorrow_may_not_yet() -> None:
    today, player = clock.today(), make_player(may_bet=False)
    tomorrow = today + timedelta(days=1)
    too_young = date(tomorrow.year - 21, tomorrow.month, tomorrow.day)
    refusal = refused(partial(record, player, birth_date=too_young, identity_number="FOREIGN1"))
    assert (refusal.code, refusal.details["minimum_age"]) == (Refusal.UNDER_AGE, 21)
    record(player, birth_date=date(today.year - 21, today.month, today.day), identity_number="FOREIGN1")


@pytest.mark.parametrize(
    ("born", "day", "age"),
    [
        (date(2000, 2, 29), date(2021, 2, 28), 20),
        (date(2000, 2, 29), date(2021, 3, 1), 21),
        (date(2000, 3, 1), date(2021, 3, 1), 21),
        (date(2000, 12, 31), date(2022, 1, 1), 21),
    ],
)
def test_age_is_reached_on_the_birthday(born: date, day: date, age: int) -> None:
    assert age_on(born, day) == age


def test_a_raised_minimum_age_stops_who_was_verified_before() -> None:
    pool, player = make_pool(), make_player(1_000, may_bet=False)
    year = clock.today().year
    admit(player, birth_date=date(year - 22, 1, 1))
    bet_from_account(pool, player, "1;1;1", 100)
    LegalNumber.objects.create(name="minimum_age", valid_from=clock.today(), value="25", source="A new law")
    forget_legal_numbers()
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.UNDER_AGE


def test_a_new_version_of_the_rules_asks_again_before_the_next_bet() -> None:
    player, (staff, _second) = make_player(1_000), make_organizers()
    old = make_pool()
    version = publish_rules(text="Other rules.", valid_from=clock.now(), published_by=staff).version
    new = make_pool(rules_version=version)
    refusal = refused(partial(bet_from_account, new, player, "1;1;1", 100))
    assert (refusal.code, refusal.details["rules_version"]) == (Refusal.CONSENT_NEEDED, version)
    bet_from_account(old, player, "1;1;1", 100)
    consent = accept_rules(player=player, version=version)
    assert accept_rules(player=player, version=version) == consent
    assert bet_from_account(new, player, "1;1;1", 100).bet.rules_version == version
    assert refused(partial(accept_rules, player=player, version="sha256:none")).code == Refusal.NOT_FOUND


@pytest.mark.parametrize("kind", list(InsiderKind))
def test_an_insiders_second_life_as_a_player_is_refused(kind: InsiderKind) -> None:
    (staff, _second), player = make_organizers(), make_player(may_bet=False)
    insider = list_insider(identity_number=NUMBER, kind=kind, listed_by=staff)
    assert refused(partial(record, player)).code == Refusal.MAY_NOT_PLAY
    end_insider(insider=insider, reason="Left.", ended_by=staff)
    record(player)


def test_a_player_who_becomes_an_insider_bets_no_more() -> None:
    pool, player, (staff, _second) = make_pool(), make_player(1_000, may_bet=False), make_organizers()
    admit(player, identity_number=NUMBER, birth_date=BORN)
    bet_from_account(pool, player, "1;1;1", 100)
    list_insider(identity_number=NUMBER.lower(), kind=InsiderKind.RELATIVE, listed_by=staff)
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.MAY_NOT_PLAY
    assert Bet.objects.count() == 1
    again = partial(list_insider, identity_number=NUMBER, kind=InsiderKind.RELATIVE, listed_by=staff)
    assert refused(again).code == Refusal.WRONG_STATE
    assert refused(partial(again, listed_by=player)).code == Refusal.NOT_ALLOWED


def test_r1_one_person_acts_under_one_log_in() -> None:
    staff, first, second = make_user(Role.ORGANIZER), make_user(Role.COMMISSION), make_user(Role.COMMISSION)
    list_insider(identity_number=NUMBER, kind=InsiderKind.COMMISSION, listed_by=staff, user=first)
    act = partial(list_insider, identity_number=NUMBER, kind=InsiderKind.STAFF, listed_by=staff, user=second)
    assert (refused(act).code, Insider.objects.count()) == (Refusal.SAME_PERSON, 1)
    act(user=first)  # one person in two capacities
    act(kind=InsiderKind.RELATIVE, user=None)
    User.objects.filter(pk=first.pk).update(is_active=False)
    act(kind=InsiderKind.TERMINAL_OWNER)
    assert Insider.objects.filter(user=second).count() == 1


def test_staff_have_no_game_account_and_a_role_that_changed_stops_the_bets() -> None:
    pool, player = make_pool(), make_player(1_000)
    for role in (Role.CASHIER, Role.COMMISSION, Role.ORGANIZER):
        assert refused(partial(open_game_account, player=make_user(role))).code == Refusal.NOT_ALLOWED
    first, second = make_organizers()
    proposal = propose_role(person=player, role=Role.CASHIER, reason="hired", proposed_by=first)
    player = approve_role(proposal_id=proposal.pk, approved_by=second)
    assert refused(partial(bet_from_account, pool, player, "1;1;1", 100)).code == Refusal.NOT_ALLOWED


def test_an_account_has_one_person_from_its_opening() -> None:
    player = make_player(may_bet=False)
    open_game_account(player=player)
    assert Person.objects.get(player=player).number_digest is None
    assert account_of(player).state == "active"
