"""The end of a registration: the money goes to the bank, open bets run on, their winnings follow (¶35.3, E5)."""

from datetime import timedelta
from functools import partial

import pytest

from accounts.ledger.balances import balance
from accounts.models import AccountState, Ending, GameAccount, OrderState, PaymentOrder, User, Withdrawal
from accounts.models.game_accounts import MOVES
from accounts.services.blocking import propose_block, propose_unblock
from accounts.services.ending import end_registration, give_bank_account
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import note_executed, note_exported, note_returned
from accounts.services.withdrawals import approve_withdrawal
from payouts.services.booking import book_payables
from payouts.services.crediting import credit_accounts
from payouts.services.endings import carry_out_endings
from payouts.tasks import carry_out_endings as carry_out_task
from pools.models import Bet, Pool
from tests.banking import own_account
from tests.desks import keeper
from tests.fakes.provider import CREDIT_CARD, running, settings_of
from tests.functional.browsing import visitor
from tests.making import account_of, bet_from_account, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, money_of, payable_from
from tests.refusals import every_row, refused
from tests.settling import sell, settle
from tests.topping_up import deposit_by, due, named_bank, pay_in
from totalizator.core import clock
from totalizator.core.errors import Refusal
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def with_money(amount: int = 1_000) -> User:
    """A player with `amount` kopecks and a verified bank account."""
    player = make_player()
    named_bank(player)
    pay_in(player, amount)
    return player


def state_of(player: User) -> str:
    return account_of(player).state


def end(player: User) -> Ending:
    return end_registration(account=account_of(player), asked_by=player)


def execute_orders() -> None:
    """Let the bank execute every order that waits."""
    orders = list(PaymentOrder.objects.filter(state=OrderState.DRAWN_UP).select_related("withdrawal__account"))
    note_exported(orders=orders, file_digest="sha256:" + "0" * 64, actor="test")
    for order in orders:
        note_executed(order=order, bank_reference=f"B-{order.pk}", actor="test")


def credited(pool: Pool) -> None:
    book_payables(code=pool.code)
    go_to(payable_from(pool))
    credit_accounts(code=pool.code)


def acts() -> list[str]:
    wanted = ("end_registration", "ending_waits", "ending_overdue", "registration_ended", "give_bank_account")
    return list(JournalRecord.objects.filter(act__in=wanted).order_by("pk").values_list("act", flat=True))


def test_p35_3_the_balance_goes_to_the_bank_and_the_registration_ends() -> None:
    player = with_money()
    ending = end(player)
    assert (state_of(player), ending.due_at - ending.begun_at) == ("ending", timedelta(days=7))
    assert carry_out_endings() == 0
    withdrawal = Withdrawal.objects.get()
    assert (money_of(player), due(), withdrawal.amount, withdrawal.state) == (0, 1_000, 1_000, "approved")
    assert (withdrawal.order.amount, withdrawal.order.payee_account) == (1_000, "BY13NBRB3600900000002Z00AB00")
    execute_orders()
    assert carry_out_endings() == 1
    ending.refresh_from_db()
    assert (state_of(player), due(), ending.overdue_at, ending.waits_for) == ("ended", 0, None, "")
    assert ending.ended_at is not None
    assert (acts(), broken()) == (["end_registration", "registration_ended"], [])


def test_p35_3_open_bets_run_on_and_their_winnings_follow_to_the_bank() -> None:
    player, pool = with_money(), make_pool("sportloto-variant")
    bet_from_account(pool, player, "1", 100)
    sell(pool, *[("X", 100)] * 9)
    end(player)
    carry_out_endings()
    execute_orders()
    assert carry_out_endings() == 0  # the bet is open
    assert (state_of(player), money_of(player)) == ("ending", 0)
    settle(pool, "1")
    assert carry_out_endings() == 0  # the winning is not payable yet
    credited(pool)
    assert money_of(player) == 665
    assert carry_out_endings() == 0
    assert (money_of(player), list(Withdrawal.objects.order_by("pk").values_list("amount", flat=True))) == (
        0,
        [900, 665],
    )
    execute_orders()
    assert carry_out_endings() == 1
    assert (state_of(player), Bet.objects.filter(player=player).count(), broken()) == ("ended", 1, [])


def test_no_bet_and_no_deposit_from_then_on() -> None:
    player, pool = with_money(), make_pool("sportloto-variant")
    end(player)
    assert refused(partial(bet_from_account, pool, player, "1", 100)).code == Refusal.ACCOUNT_BLOCKED
    assert refused(partial(pay_in, player, 100)).code == Refusal.ACCOUNT_BLOCKED


def test_the_log_in_only_reads() -> None:
    player, pool = with_money(), make_pool("sportloto-variant")
    client = visitor(player)
    assert client.post(f"/pools/{pool.code}/coupon/", {}).status_code != 403
    end(player)
    for address in ("/my/", "/my/statement/", f"/pools/{pool.code}/"):
        assert client.get(address).status_code == 200
    before = every_row()
    assert client.post(f"/pools/{pool.code}/coupon/", {}).status_code == 403
    answer = client.post("/api/v1/me/pauses", {}, content_type="application/json", HTTP_IDEMPOTENCY_KEY="k" * 20)
    assert answer.status_code == 403
    assert every_row() == before


def test_the_organizer_ends_one_at_any_time_with_a_reason_others_never() -> None:
    player, (staff, _other) = with_money(), make_organizers()
    account = account_of(player)
    assert refused(partial(end_registration, account=account, asked_by=staff)).code == Refusal.BAD_VALUE
    for somebody in (make_player(), make_till().cashier):
        assert somebody is not None
        act = partial(end_registration, account=account, asked_by=somebody, reason="I want it")
        assert refused(act).code == Refusal.NOT_ALLOWED
    propose_block(account=account, reason="Looks odd", proposed_by=staff)
    ending = end_registration(account=account, asked_by=staff, reason="By the rules")
    assert (ending.asked_by, ending.reason, state_of(player)) == (staff, "By the rules", "ending")
    again = partial(end_registration, account=account, asked_by=staff, reason="Again")
    assert refused(again).code == Refusal.WRONG_STATE


def test_what_ends_can_be_neither_blocked_nor_unblocked() -> None:
    player, (staff, _other) = with_money(), make_organizers()
    end(player)
    for propose in (propose_block, propose_unblock):
        act = partial(propose, account=account_of(player), reason="x", proposed_by=staff)
        assert refused(act).code == Refusal.WRONG_STATE
    assert MOVES[AccountState.ENDED] == frozenset()


def test_money_without_a_bank_account_waits_is_overdue_after_seven_days_and_goes_when_one_is_named() -> None:
    player, (staff, _other) = make_player(), make_organizers()
    pay_in(player, 1_000)
    end(player)
    for _ in range(3):
        carry_out_endings()
    assert (acts(), Ending.objects.get().waits_for) == (["end_registration", "ending_waits"], "not_found")
    clock.move_clock(timedelta(days=7))
    for _ in range(3):
        carry_out_endings()
    assert acts() == ["end_registration", "ending_waits", "ending_overdue"]
    after = JournalRecord.objects.get(act="ending_overdue").after
    assert (after, money_of(player)) == ({"balance": 1_000, "waits_for": "not_found"}, 1_000)
    give_bank_account(
        account=account_of(player),
        bank_account="by13 nbrb 3600 9000 0000 2z00 ab00",
        document="Letter 5",
        given_by=staff,
    )
    carry_out_endings()
    assert (money_of(player), Withdrawal.objects.get().amount, Ending.objects.get().waits_for) == (0, 1_000, "")


def test_money_that_the_bank_does_not_pay_is_overdue_too() -> None:
    player = with_money()
    end(player)
    carry_out_endings()
    clock.move_clock(timedelta(days=7, hours=1))
    carry_out_endings()
    carry_out_endings()
    assert acts() == ["end_registration", "ending_overdue"]


def test_what_the_bank_sends_back_waits_for_another_account_and_is_not_sent_in_a_circle() -> None:
    player, (staff, other) = with_money(), make_organizers()
    end(player)
    carry_out_endings()
    (order,) = PaymentOrder.objects.select_related("withdrawal__account__ledger_account")
    note_exported(orders=[order], file_digest="sha256:" + "0" * 64, actor="test")
    note_returned(order=order, reason="No such account", by=keeper())
    for _ in range(3):
        carry_out_endings()
    assert (money_of(player), Withdrawal.objects.count(), Ending.objects.get().waits_for) == (1_000, 1, "other_way")
    give_bank_account(
        account=account_of(player), bank_account="BY20OLMP31350000001000000933", document="Letter", given_by=staff
    )
    carry_out_endings()
    assert (money_of(player), Withdrawal.objects.count()) == (0, 2)
    # Who noted the account from the paper does not also give the order to the bank.
    act = partial(export_payment_orders, account=own_account())
    assert refused(partial(act, made_by=staff)).code is Refusal.SAME_PERSON
    assert act(made_by=other).file.orders == 1


def test_p41_money_of_a_credit_card_goes_to_the_bank_by_staffs_approval(settings: object) -> None:
    with running() as provider:
        settings.PAYMENT_PROVIDERS = settings_of(provider)  # type: ignore[attr-defined]
        player, (staff, _other) = make_player(), make_organizers()
        named_bank(player)
        deposit_by(provider, player, 500, CREDIT_CARD)
    end(player)
    carry_out_endings()
    withdrawal = Withdrawal.objects.select_related("account__player", "instrument").get()
    assert (withdrawal.state, withdrawal.instrument.kind, money_of(player)) == ("requested", "bank", 0)
    approve_withdrawal(withdrawal=withdrawal, approved_by=staff)
    execute_orders()
    assert carry_out_endings() == 1


def test_a_bank_account_is_given_by_staff_and_only_for_what_ends() -> None:
    player, (staff, _other) = with_money(), make_organizers()
    act = partial(give_bank_account, account=account_of(player), bank_account="BY20", document="Letter")
    assert refused(partial(act, given_by=player)).code == Refusal.NOT_ALLOWED
    assert refused(partial(act, given_by=staff)).code == Refusal.WRONG_STATE
    end(player)
    assert refused(partial(act, given_by=staff, document=" ")).code == Refusal.BAD_VALUE


def test_a_stake_that_comes_back_to_an_ended_account_is_paid_on() -> None:
    from accounts.ledger.kinds import AccountKind, TransferKind
    from accounts.ledger.posting import Movement, ledger_account, post

    player = with_money()
    end(player)
    carry_out_endings()
    execute_orders()
    assert carry_out_endings() == 1
    account = account_of(player)
    post(
        key="given-back",
        kind=TransferKind.REFUND_PAID,
        occurred_at=clock.now(),
        cause="test",
        movements=[Movement(ledger_account(AccountKind.ORGANIZER), account.ledger_account, 100)],
    )
    carry_out_endings()
    assert (balance(account.ledger_account), Withdrawal.objects.count(), state_of(player)) == (0, 2, "ended")


def test_an_empty_account_without_bets_ends_at_once() -> None:
    player = make_player()
    end(player)
    carry_out_task()
    assert state_of(player) == "ended"


def test_one_account_that_fails_does_not_stop_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    from payouts.services import endings

    first, second = with_money(), with_money()
    end(first)
    end(second)
    carry_out = endings.carry_out

    def fail_first(account: GameAccount) -> bool:
        if account.player_id == first.pk:
            raise RuntimeError("broken")
        return carry_out(account)

    monkeypatch.setattr(endings, "carry_out", fail_first)
    carry_out_endings()
    assert (money_of(first), money_of(second)) == (1_000, 0)
    assert JournalRecord.objects.filter(act__contains="fail", subject=f"game_account:{account_of(first).pk}").exists()


def test_no_key_that_the_player_has_used_keeps_the_money_from_the_bank() -> None:
    """A player chooses the keys of the own requests freely, and may well have chosen what the job would."""
    player, pool = with_money(), make_pool()
    account = account_of(player)
    for key in (f"ending:{account.pk}:0", "0"):
        bet_from_account(pool, player, "1;1;1", 100, key=key)
    end(player)
    carry_out_endings()
    withdrawal = Withdrawal.objects.get(account=account)
    assert (withdrawal.amount, money_of(player)) == (800, 0)
