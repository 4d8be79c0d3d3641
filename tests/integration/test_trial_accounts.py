"""Accounts to try the system out with: marked by two people, and never part of a pool, a sum or a list (E6)."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.utils import translation

from accounts.ledger.balances import balance
from accounts.models import GameAccount, Role, TraitKind, TrialAccount, User
from accounts.queries.duplicates import likely_duplicates
from accounts.queries.exclusions import may_receive_marketing
from accounts.services.devices import note_device
from accounts.services.persons import person_of
from accounts.services.trial_accounts import approve_trial, propose_trial
from accounts.services.withdrawals import request_withdrawal
from tests.making import (
    account_of,
    bet_from_account,
    make_organizers,
    make_player,
    make_pool,
    make_user,
    put_on_account,
)
from tests.refusals import refused
from tests.topping_up import named_bank
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def make_trial_account() -> User:
    """The log-in of an account that two people have marked."""
    player, (one, other) = make_player(), make_organizers()
    propose_trial(account=account_of(player), reason="To look at the new pages.", proposed_by=one)
    approve_trial(account=account_of(player), approved_by=other)
    return player


def test_a_test_account_never_bets_and_the_fund_stays() -> None:
    pool, player = make_pool(), make_trial_account()
    refusal = refused(partial(bet_from_account, pool, player, "1;1;1", 100))
    assert refusal.code is Refusal.NOT_ALLOWED
    with translation.override("en"):
        assert "test account" in str(refusal.message)


def test_no_money_comes_onto_it_and_none_leaves_it() -> None:
    player = make_trial_account()
    account = account_of(player)
    assert refused(partial(put_on_account, account, 100, reference="line 1")).code is Refusal.NOT_ALLOWED
    bank = named_bank(player)
    asked = partial(
        request_withdrawal, account=account, amount=1, instrument=bank, stepped_up=True, idempotency_key="k"
    )
    assert refused(asked).code is Refusal.NOT_ALLOWED
    assert balance(account.ledger_account) == 0


def test_it_is_in_no_list_of_persons() -> None:
    trial, player = make_trial_account(), make_player()
    for known in (trial, player):
        note_device(person=person_of(known), device="one device")
    assert [likeness for likeness in likely_duplicates() if likeness.kind == TraitKind.DEVICE] == []
    at = clock.now()
    assert may_receive_marketing(person_of(player), at)
    assert not may_receive_marketing(person_of(trial), at)


def test_what_is_only_proposed_binds_nobody() -> None:
    pool, player, (one, _other) = make_pool(), make_player(1_000), make_organizers()
    fresh = make_player()
    propose_trial(account=account_of(fresh), reason="To try.", proposed_by=one)
    put_on_account(account_of(fresh), 100, reference="line 1")
    bet_from_account(pool, fresh, "1;1;1", 100)
    bet_from_account(pool, player, "1;1;1", 100)


def test_two_people_mark_it_for_good() -> None:
    player, (one, other) = make_player(), make_organizers()
    account = account_of(player)
    assert refused(partial(approve_trial, account=account, approved_by=other)).code is Refusal.NOT_FOUND
    propose_trial(account=account, reason="To try.", proposed_by=one)
    assert refused(partial(approve_trial, account=account, approved_by=one)).code is Refusal.SAME_PERSON
    trial = approve_trial(account=account, approved_by=other)
    assert (trial.proposed_by, trial.approved_by) == (one, other)
    again = partial(propose_trial, account=account, reason="Again.", proposed_by=other)
    assert refused(again).code is Refusal.WRONG_STATE
    assert refused(partial(approve_trial, account=account, approved_by=one)).code is Refusal.WRONG_STATE
    acts = JournalRecord.objects.filter(subject=f"game_account:{account.pk}", act__contains="trial").order_by("pk")
    assert [record.act for record in acts] == ["propose_trial_account", "approve_trial_account"]
    with pytest.raises(IntegrityError, match="accounts_trial_by_two"), transaction.atomic():
        TrialAccount.objects.update(approved_by=one)


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.COMMISSION])
def test_only_the_organizers_staff_mark(role: Role) -> None:
    account, person = account_of(make_player()), make_user(role)
    assert refused(partial(propose_trial, account=account, reason="x", proposed_by=person)).code is Refusal.NOT_ALLOWED
    assert refused(partial(approve_trial, account=account, approved_by=person)).code is Refusal.NOT_ALLOWED


def test_an_account_with_money_is_somebodys() -> None:
    player, (one, other) = make_player(1_000), make_organizers()
    assert refused(lambda: propose_trial(account=account_of(player), reason="x", proposed_by=one)).field == "account"
    later: GameAccount = account_of(make_player())
    propose_trial(account=later, reason="x", proposed_by=one)
    put_on_account(later, 100, reference="line 1")
    assert refused(partial(approve_trial, account=later, approved_by=other)).code is Refusal.WRONG_STATE
