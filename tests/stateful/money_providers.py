"""The money machine's rules of a payment system: deposits and withdrawals, told late, twice, in any order, or never."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db.models import QuerySet
from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from accounts.models import DepositState, PaymentInstrument, ProviderDeposit, Withdrawal, WithdrawalState
from accounts.services.provider_events import take_event
from accounts.services.providers.http_json import HttpJsonProvider
from accounts.services.providers.interface import NotAnswered
from accounts.services.providers.known import find_provider
from accounts.services.sending import ask_about, send_withdrawal
from accounts.services.withdrawal_decisions import approve_end, propose_end
from tests.fakes.provider import DEBIT_CARD, FakeProvider, settings_of
from tests.making import account_of
from tests.stateful.money_model import attempt
from tests.stateful.money_town import Town, number, picked
from tests.topping_up import ask_back, begin
from totalizator.core import clock
from totalizator.core.errors import Refusal

outcomes = st.sampled_from(["done", "failed", "under_way"])
UNCERTAIN = (WithdrawalState.UNKNOWN, WithdrawalState.SENT)
NOT_TAKEN = (DepositState.PENDING, DepositState.FAILED)


class ProviderRules(Town):
    """What a payment system takes from players, and pays to them."""

    def __init__(self) -> None:
        super().__init__()
        self.system = FakeProvider(url="https://fake.example")

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Let calls reach the fake in this process; a silent one has taken the call and gives no answer."""

        def send(_system: HttpJsonProvider, method: str, path: str, body: bytes) -> tuple[int, bytes]:
            status, answer = self.system.answer(method, path, json.loads(body or b"{}"))
            if self.system.silent and path in ("/payouts", "/refunds"):
                raise NotAnswered("silent")
            return status, json.dumps(answer).encode()

        with (
            override_settings(PAYMENT_PROVIDERS=settings_of(self.system)),
            patch.object(HttpJsonProvider, "_send", send),
        ):
            yield

    def hear(self, kind: str, reference: str, outcome: str, times: int, **changes: Any) -> None:
        """Let the same signed message come so many times."""
        instrument = DEBIT_CARD if kind == "deposit" else None
        message = self.system.message(kind, reference, outcome, instrument=instrument, **changes)
        with self.connected():
            event = find_provider("fake").verify_webhook(message.headers, message.body, clock.now())
            assert [take_event(provider="fake", event=event) for _ in range(times)] == [True] + [False] * (times - 1)

    @rule(by=number, amount=st.integers(1, 300))
    def begin_a_deposit(self, by: int, amount: int) -> None:
        with self.connected():
            begin(self.player(by), amount)

    @rule(which=number, outcome=outcomes, times=st.integers(1, 3))
    def hear_of_a_deposit(self, which: int, outcome: str, times: int) -> None:
        deposit = picked(ProviderDeposit.objects.select_related("account__ledger_account").order_by("pk"), which)
        if deposit is None:
            return
        self.hear("deposit", deposit.reference, outcome, times)
        if outcome == "done" and deposit.state in NOT_TAKEN:
            self.model.into(deposit.account.ledger_account, deposit.amount)

    @rule(by=number, amount=st.integers(1, 300))
    def ask_money_back_to_the_card(self, by: int, amount: int) -> None:
        player = self.player(by)
        card = PaymentInstrument.objects.filter(account=account_of(player), provider="fake").first()
        if card is None:
            return
        account = account_of(player).ledger_account
        if attempt(lambda: ask_back(player, amount, card), self.model.short(account, amount)) is not None:
            self.model.into(account, -amount)

    @rule(which=number, answer=st.sampled_from(["under_way", "done", "failed", "silent", "other"]))
    def send_by_the_payment_system(self, which: int, answer: str) -> None:
        withdrawal = picked(_by_card(WithdrawalState.APPROVED), which)
        if withdrawal is None:
            return
        self.system.silent = answer == "silent"
        other = {"amount": withdrawal.amount + 1}
        self.system.answers = other if answer == "other" else {} if answer == "silent" else {"outcome": answer}
        with self.connected():
            stands = send_withdrawal(withdrawal=withdrawal)
        told = {"under_way": "sent", "done": "confirmed", "failed": "failed"}
        assert stands == told.get(answer, "unknown")
        if answer == "other":  # a slip in its answer: it knows better when it is asked
            self.system.payments[withdrawal.reference]["amount"] = withdrawal.amount
        if answer == "failed":
            self.model.into(withdrawal.account.ledger_account, withdrawal.amount)

    @rule(which=number, outcome=outcomes, times=st.integers(1, 3))
    def hear_of_a_payout(self, which: int, outcome: str, times: int) -> None:
        withdrawal = picked(_by_card(*UNCERTAIN, WithdrawalState.CONFIRMED, WithdrawalState.FAILED), which)
        if withdrawal is None:
            return
        self.hear("payout", withdrawal.reference, outcome, times)
        self.note_failed(withdrawal)

    @rule(which=number)
    def ask_the_payment_system(self, which: int) -> None:
        withdrawal = picked(_by_card(*UNCERTAIN), which)
        if withdrawal is None:
            return
        with self.connected():
            ask_about(withdrawal=Withdrawal.objects.get(pk=withdrawal.pk))
        self.note_failed(withdrawal)

    @rule(which=number, paid=st.booleans())
    def decide_by_a_letter(self, which: int, paid: bool) -> None:
        withdrawal, (one, other) = picked(_by_card(*UNCERTAIN), which), self.world.staff
        if withdrawal is None:
            return
        proposal = propose_end(withdrawal=withdrawal, paid=paid, document="Letter 8", proposed_by=one)
        attempt(lambda: approve_end(proposal=proposal, approved_by=one), {Refusal.SAME_PERSON})
        approve_end(proposal=proposal, approved_by=other)
        self.note_failed(withdrawal)

    def note_failed(self, before: Withdrawal) -> None:
        """Note the money of a withdrawal that was under way and has failed: it is on the account again."""
        state = Withdrawal.objects.get(pk=before.pk).state
        if before.state in UNCERTAIN and state == WithdrawalState.FAILED:
            self.model.into(before.account.ledger_account, before.amount)


def _by_card(*states: WithdrawalState) -> QuerySet[Withdrawal]:
    found = Withdrawal.objects.filter(state__in=states, instrument__provider="fake").order_by("pk")
    return found.select_related("account__ledger_account", "instrument")
