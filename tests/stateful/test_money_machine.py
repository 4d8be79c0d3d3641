"""Every channel in any order: bets, cards, top-ups, withdrawals, transfers, paper, shifts, cash, results, payments.

Each act is made by its service, and beside it by hand (`money_model.py`). An act is refused exactly when the model
knows a reason; after every step ledger and model hold the same; at the end of a run every proof holds.
"""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import DepositReturn
from tests.posting import bank, move, post_all
from tests.stateful.money_accounts import AccountRules
from tests.stateful.money_bets import BetRules
from tests.stateful.money_held import HeldRules
from tests.stateful.money_model import faults, make_world
from tests.stateful.money_pools import PoolRules
from tests.stateful.money_tills import TillRules

pytestmark = pytest.mark.django_db


class Money(BetRules, AccountRules, HeldRules, TillRules, PoolRules):
    """The whole town."""


def test_any_order_of_acts_keeps_every_proof() -> None:
    # A failure is told as it came: to shrink a run of forty acts takes longer than to read it.
    Money.world = make_world()
    run_state_machine_as_test(
        Money,
        settings=settings(
            max_examples=20,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        ),
    )


def test_each_act_is_done_at_least_once_in_a_story() -> None:
    """The same rules, called by hand: none of them is always refused or passed over."""
    Money.world = make_world()
    town = Money()
    till, player = Money.world.tills[0], Money.world.players[0]
    town.sell_for_cash(of=0, at=0, mark="1")
    town.sell_at_the_terminal(of=0, mark="1", out_of_touch=False)
    town.bet_from_the_account(of=0, by=0, mark="1")
    town.sell_a_card(which=0)
    town.bet_by_card(of=0, by=0, mark="1")
    town.order_by_transfer(of=0, mark="1")
    town.pay_an_order(which=0, amount=100)
    town.enter_a_form(of=0, at=0, mark="1")
    town.approve_a_form(which=0)
    town.repeat_a_request(which=0)
    assert len(town.books[0].slips) == 6
    for _ in range(6):
        town.sell_for_cash(of=0, at=0, mark="X")
    town.settle(of=0, right="1")
    town.pay_accounts()
    town.pay_a_ticket(of=0, which=0, at=0)
    assert [slip.paid for slip in town.books[0].slips] == [True, False, *[True] * 3, False, *[False] * 6]
    town.open_or_close_a_shift(at=0, difference=-7)
    assert till.pk not in town.model.floats
    assert town.model.holds(player.game_account.ledger_account) == 1_000 - 100 + 133
    town.ledger_and_model_agree()
    town.teardown()


def test_every_way_of_a_payment_system_is_gone_in_a_story() -> None:
    Money.world = make_world()
    town = Money()
    held = Money.world.players[0].game_account.ledger_account
    town.begin_a_deposit(by=0, amount=300)
    for outcome in ("failed", "done", "done", "under_way", "failed"):
        town.hear_of_a_deposit(which=0, outcome=outcome, times=2)
    assert town.model.holds(held) == 1_300
    for answer, left in (("failed", 300), ("silent", 200), ("other", 100), ("under_way", 0)):
        town.ask_money_back_to_the_card(by=0, amount=100)
        town.send_by_the_payment_system(which=0, answer=answer)
        assert town.model.holds(held) == 1_000 + left
    town.hear_of_a_payout(which=2, outcome="done", times=2)
    town.ask_the_payment_system(which=0)
    town.decide_by_a_letter(which=1, paid=False)
    assert town.model.holds(held) == 1_100
    town.ledger_and_model_agree()
    town.teardown()


def test_bets_are_cancelled_before_and_after_the_settlement_in_a_story() -> None:
    Money.world = make_world()
    town = Money()
    till, (rich, poor) = Money.world.tills[0], Money.world.players
    for _ in range(3):
        town.sell_for_cash(of=0, at=0, mark="1")
    town.bet_from_the_account(of=0, by=0, mark="1")
    town.bet_from_the_account(of=0, by=0, mark="X")
    town.sell_for_cash(of=0, at=0, mark="X")
    slips, cash = town.books[0].slips, town.model.holds(till.ledger_account)
    town.cancel_a_bet(of=0, which=0)
    town.cancel_a_bet(of=0, which=4)
    town.pay_a_ticket(of=0, which=0, at=0)
    town.pay_accounts()
    assert [slip.paid for slip in slips] == [True, False, False, False, True, False]
    assert town.model.holds(till.ledger_account) == cash - 100
    assert town.model.holds(rich.game_account.ledger_account) == 900
    town.settle(of=0, right="1")  # 2.80 to three
    town.pay_accounts()
    town.pay_a_ticket(of=0, which=1, at=0)
    assert town.model.holds(rich.game_account.ledger_account) == 900 + 88
    assert town.model.holds(till.ledger_account) == cash - 100 - 88
    for which in (1, 3, 2, 2, 5):  # paid at the till, paid to the account, not paid, once more, one that lost
        town.cancel_a_bet(of=0, which=which)
    assert [slip.paid for slip in slips] == [True, False, False, False, True, False]
    for which in (0, 1, 2, 3):
        town.pay_a_ticket(of=0, which=which, at=0)
    town.pay_accounts()
    assert all(slip.paid for slip in slips)
    assert town.model.holds(till.ledger_account) == cash - 100 - 88 - 300
    assert town.model.holds(rich.game_account.ledger_account) == 900 + 88 + 100
    assert town.model.holds(poor.game_account.ledger_account) == 0
    town.cancel_a_bet(of=0, which=1)
    town.ledger_and_model_agree()
    town.teardown()


def test_held_deposits_go_every_way_in_a_story() -> None:
    Money.world = make_world()
    town = Money()
    account = Money.world.players[0].game_account.ledger_account
    for amount in (10, 20, 30, 40, 50):
        town.begin_a_deposit(by=0, amount=amount)
    for which in range(5):
        town.hear_of_another_amount(which=which)
    town.hear_of_another_amount(which=0)
    assert town.model.held == 150 + 35
    town.credit_what_is_held(which=0)
    assert (town.model.held, town.model.holds(account)) == (168, 1_017)
    for which, answer in ((0, "done"), (0, "failed"), (0, "silent"), (1, "other")):
        town.decide_to_give_back(which=which)
        town.credit_what_is_held(which=which)  # not while it is on its way
        town.send_back_by_the_payment_system(which=0, answer=answer)
    assert town.model.held == 168 - 27
    states = DepositReturn.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["done", "failed", "unknown", "unknown"]
    town.end_a_return_by_a_letter(which=0, returned=True)
    town.ask_about_a_return(which=0)
    assert (list(states.all()), town.model.held) == (["done", "failed", "done", "sent", "done"], 168 - 27 - 37)
    town.hear_of_a_return(which=3, outcome="done", times=2)
    assert town.model.held == 168 - 27 - 37 - 47
    town.ledger_and_model_agree()
    town.teardown()


def test_control_what_is_written_past_the_services_is_found() -> None:
    Money.world = make_world()
    town = Money()
    post_all(move("stray", bank(), ledger_account(AccountKind.BANK_SUSPENSE), 1))
    with pytest.raises(AssertionError):
        town.ledger_and_model_agree()
    assert len(faults()) == 2
    with pytest.raises(AssertionError):
        town.teardown()
