"""Likely duplicates, and blocking an account by two people (¶35.3, E5)."""

from datetime import date
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.models import EFFECTS, AccountAct, AccountDecision, AccountState, Role, TraitKind, User
from accounts.models.game_accounts import MOVES
from accounts.queries.duplicates import likely_duplicates
from accounts.services.blocking import block_account, propose_block, propose_unblock, unblock_account
from accounts.services.devices import note_device
from accounts.services.identity import record_identity
from accounts.services.persons import person_of
from accounts.services.traits import note_trait
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_user
from tests.refusals import refused
from tests.settling import settle
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def introduce(name: str, bank_account: str = "") -> User:
    player = make_player(may_bet=False)
    record_identity(
        player=player,
        full_name=name,
        birth_date=date(1990, 5, 31),
        identity_number=f"FOREIGN{player.pk}",
        document="MP1",
        bank_account=bank_account,
        actor=player.actor,
    )
    return player


def test_likely_duplicates_are_listed_by_what_they_have_in_common() -> None:
    one, two = introduce("Пётр  Шыпшына", "BY13 OLMP 1"), introduce("петр шыпшына")
    three, four = introduce("Another", "by13olmp1"), introduce("Nobody else")
    for player in (two, four):
        note_trait(person=person_of(player), kind=TraitKind.CARD, text="0001-00000017", at=clock.now())
        note_device(person=person_of(player), device="a token")
    found = {(likeness.kind, *(person.player for person in likeness.persons)) for likeness in likely_duplicates()}
    assert found == {
        (TraitKind.NAME_AND_BIRTH, one, two),
        (TraitKind.BANK_ACCOUNT, one, three),
        (TraitKind.CARD, two, four),
        (TraitKind.DEVICE, two, four),
    }


def test_the_first_device_is_no_news_and_the_second_is() -> None:
    person = person_of(make_player())
    assert not note_device(person=person, device="first")
    assert note_device(person=person, device="second")
    assert not note_device(person=person, device="first")


def test_a_block_by_two_people_stops_bets_and_deposits_and_takes_nothing() -> None:
    pool, player, (one, two) = make_pool("totolot-variant"), make_player(3_000), make_organizers()
    account = account_of(player)
    bet_from_account(pool, player, "1", 1_000)
    propose_block(account=account, reason="The same person as player 7.", proposed_by=one)
    bet_from_account(pool, player, "1", 1_000)
    decision = block_account(account=account, approved_by=two)
    assert (decision.proposed_by, decision.approved_by, account.state) == (one, two, AccountState.BLOCKED)
    assert refused(partial(bet_from_account, pool, player, "1", 1_000)).code == Refusal.ACCOUNT_BLOCKED
    assert balance(account.ledger_account) == 1_000
    statement = settle(pool, "1")
    assert statement["levels"][0]["paid"] > 0  # both accepted bets ran on
    record = JournalRecord.objects.filter(act="block_account").get()
    assert (record.actor, record.reason) == (two.actor, "The same person as player 7.")


def test_a_blocked_account_is_opened_again_by_two_people() -> None:
    pool, player, (one, two) = make_pool(), make_player(1_000), make_organizers()
    account = account_of(player)
    propose_block(account=account, reason="Doubt.", proposed_by=one)
    block_account(account=account, approved_by=two)
    propose_unblock(account=account, reason="It is another person.", proposed_by=two)
    unblock_account(account=account, approved_by=one)
    bet_from_account(pool, player, "1;1;1", 100)
    assert AccountDecision.objects.count() == 2


def test_a_decision_needs_a_reason_a_proposal_and_another_person() -> None:
    account, (one, two) = account_of(make_player()), make_organizers()
    propose = partial(propose_block, account=account, reason="Doubt.", proposed_by=one)
    assert refused(partial(propose, reason=" ")).field == "reason"
    assert refused(partial(block_account, account=account, approved_by=two)).code == Refusal.NOT_FOUND
    propose()
    assert refused(partial(block_account, account=account, approved_by=one)).code == Refusal.SAME_PERSON
    assert refused(partial(unblock_account, account=account, approved_by=two)).code == Refusal.NOT_FOUND
    block_account(account=account, approved_by=two)
    assert refused(partial(block_account, account=account, approved_by=two)).code == Refusal.NOT_FOUND
    assert refused(propose).code == Refusal.WRONG_STATE
    assert refused(partial(propose_unblock, account=account, reason=" ", proposed_by=one)).field == "reason"


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_the_organizers_staff_decide(role: Role) -> None:
    account, (one, _two), other = account_of(make_player()), make_organizers(), make_user(role)
    act = partial(propose_block, account=account, reason="Doubt.", proposed_by=other)
    assert refused(act).code == Refusal.NOT_ALLOWED
    propose_block(account=account, reason="Doubt.", proposed_by=one)
    assert refused(partial(block_account, account=account, approved_by=other)).code == Refusal.NOT_ALLOWED


def test_every_state_says_what_it_does_and_where_it_leads() -> None:
    assert set(EFFECTS) == set(MOVES) == set(AccountState)
    assert EFFECTS[AccountState.BLOCKED].withdraw  # money is never kept from its owner by a block
    assert set(AccountAct) >= {AccountAct.BLOCK, AccountAct.UNBLOCK}
