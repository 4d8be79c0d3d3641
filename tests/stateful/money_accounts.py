"""The money machine's rules of cards, accounts and the bank: sold, topped up, withdrawn, received, decided, paid."""

from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import rule

from accounts.models import (
    CardState,
    OrderState,
    Outcome,
    PaymentOrder,
    Receipt,
    WhyOpen,
    Withdrawal,
    WithdrawalState,
)
from accounts.services.card_blocking import block_cards, unblock_cards
from accounts.services.payment_files import export_payment_orders
from accounts.services.payment_orders import Payee, draw_up_anew, note_returned
from accounts.services.topups import top_up_by_card, top_up_in_cash
from accounts.services.transfer_references import ReferenceKind, TransferReference
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from pools.services.receipt_decisions import Target, approve_decision, propose_decision
from tests.banking import csv_line, own_account, take_in, transfer
from tests.carding import range_of, sell
from tests.desks import keeper
from tests.making import account_of
from tests.stateful.money_model import CARD_VALUE, attempt
from tests.stateful.money_town import Town, cashier_of, new_key, number, picked
from tests.topping_up import ask_back
from totalizator.core.errors import Refusal

TO_JACKPOT = {WhyOpen.NO_REFERENCE, WhyOpen.UNREADABLE}


class AccountRules(Town):
    """Money that comes for players, and goes back to them."""

    @rule(which=number)
    def sell_a_card(self, which: int) -> None:
        bought, till = self.card(which), self.world.tills[0]
        state = bought.card.state
        reasons = self.model.at_desk(till) | (set() if state == CardState.AT_POINT else {Refusal.WRONG_STATE})
        sold = attempt(lambda: sell(till, bought, f"sell-{next(new_key)}"), reasons)
        if sold is not None and sold.ledger_account is not None:
            self.model.into(till.ledger_account, CARD_VALUE)
            self.model.into(sold.ledger_account, CARD_VALUE)

    @rule(which=number)
    def block_or_unblock_a_card(self, which: int) -> None:
        bought, (one, other) = self.card(which), self.world.staff
        cards, blocked = range_of([bought]), bought.card.state == CardState.BLOCKED
        if blocked:
            attempt(lambda: unblock_cards(cards=cards, reason="Found.", unblocked_by=one), {Refusal.SAME_PERSON})
            unblock_cards(cards=cards, reason="Found.", unblocked_by=other)
        else:
            block_cards(cards=cards, reason="Stolen.", blocked_by=one)
        assert (bought.card.state == CardState.BLOCKED) != blocked

    @rule(by=number, at=number, amount=st.integers(1, 300))
    def top_up_for_cash(self, by: int, at: int, amount: int) -> None:
        account, till = account_of(self.player(by)), self.till(at)
        act = partial(top_up_in_cash, account=account, amount=amount, cashier=cashier_of(till))
        if attempt(lambda: act(idempotency_key=f"top-up-{next(new_key)}"), self.model.at_desk(till)) is not None:
            self.model.into(account.ledger_account, amount)
            self.model.into(till.ledger_account, amount)

    @rule(by=number, which=number)
    def top_up_by_card(self, by: int, which: int) -> None:
        player, bought = self.player(by), self.card(which)
        reasons = self.why_no_card(bought, 1)
        act = partial(top_up_by_card, player=player, series=bought.series, number=bought.number, code=bought.code)
        done = attempt(lambda: act(idempotency_key=f"card-{next(new_key)}"), reasons)
        if done is not None and bought.card.ledger_account is not None:
            self.model.into(bought.card.ledger_account, -done.amount)
            self.model.into(account_of(player).ledger_account, done.amount)
            assert self.model.holds(bought.card.ledger_account) == 0

    @rule(by=number, amount=st.sampled_from([1, 250, 120_000]))
    def top_up_by_transfer(self, by: int, amount: int) -> None:
        account = account_of(self.player(by))
        transfer(amount, f"For play {TransferReference(ReferenceKind.GAME_ACCOUNT, account.pk)}")
        self.model.into(account.ledger_account, amount)

    @rule(amount=st.integers(1, 300), purpose=st.sampled_from(["no words", "ACC-00000001"]))
    def receive_what_nobody_can_place(self, amount: int, purpose: str) -> None:
        transfer(amount, purpose)
        self.model.suspense += amount

    @rule(which=number, outcome=st.sampled_from([Outcome.RETURNED, Outcome.JACKPOT, Outcome.GAME_ACCOUNT]))
    def decide_on_a_receipt(self, which: int, outcome: Outcome) -> None:
        waiting = Receipt.objects.exclude(why__in=[WhyOpen.PLACED, WhyOpen.NEW, WhyOpen.LATE]).order_by("pk")
        receipt, (one, other) = picked(waiting, which), self.world.staff
        if receipt is None:
            return
        account = account_of(self.world.players[0])
        to_jackpot = outcome == Outcome.JACKPOT and receipt.why not in TO_JACKPOT
        act = partial(propose_decision, line_id=receipt.pk, outcome=outcome, target=Target(account=account))
        proposal = attempt(
            lambda: act(reason="Looked at.", document="Act 1", proposed_by=one),
            {Refusal.WRONG_STATE} if to_jackpot else set(),
        )
        if proposal is not None:
            attempt(lambda: approve_decision(proposal=proposal, approved_by=one), {Refusal.SAME_PERSON})
            approve_decision(proposal=proposal, approved_by=other)
            self.model.suspense -= receipt.open_amount
            if outcome == Outcome.GAME_ACCOUNT:
                self.model.into(account.ledger_account, receipt.open_amount)

    @rule(by=number, amount=st.sampled_from([1, 90, 1_000, 100_000]))
    def ask_money_back(self, by: int, amount: int) -> None:
        player, bank = self.player(by), self.world.banks[by % len(self.world.banks)]
        account = account_of(player).ledger_account
        if attempt(lambda: ask_back(player, amount, bank), self.model.short(account, amount)) is not None:
            self.model.into(account, -amount)

    @rule(which=number, approve=st.booleans())
    def decide_on_a_withdrawal(self, which: int, approve: bool) -> None:
        asked = Withdrawal.objects.filter(state=WithdrawalState.REQUESTED).order_by("pk")
        withdrawal, staff = picked(asked, which), self.world.staff[0]
        if withdrawal is None:
            return
        if approve:
            approve_withdrawal(withdrawal=withdrawal, approved_by=staff)
            return
        cancel_withdrawal(withdrawal=withdrawal, reason="Not asked for.", actor=staff)
        self.model.into(withdrawal.account.ledger_account, withdrawal.amount)

    @rule()
    def give_orders_to_the_bank(self) -> None:
        waiting = PaymentOrder.objects.filter(state=OrderState.DRAWN_UP).exists()
        reasons = set() if waiting else {Refusal.NOTHING_TO_PAY}
        attempt(lambda: export_payment_orders(account=own_account(), made_by=self.world.staff[0]), reasons)

    @rule(which=number, executed=st.booleans())
    def hear_from_the_bank(self, which: int, executed: bool) -> None:
        given = PaymentOrder.objects.filter(state=OrderState.EXPORTED).select_related("withdrawal__account")
        order = picked(given.order_by("pk"), which)
        if order is None:
            return
        if executed:
            take_in(csv_line(order.amount, "paid", debit=True, document=order.number))
        else:
            note_returned(order=order, reason="The account is closed.", by=keeper())
            if order.withdrawal is not None:
                self.model.into(order.withdrawal.account.ledger_account, order.amount)
            else:
                payee = Payee("Иванова Анна", order.payee_account)
                draw_up_anew(order=order, payee=payee, drawn_up_by=self.world.staff[1])
