"""The money machine's rules of held deposits: taken otherwise than agreed, credited, sent back, ended by a letter."""

from django.db.models import QuerySet
from hypothesis import strategies as st
from hypothesis.stateful import rule

from accounts.models import DepositReturn, HeldDeposit, HeldState, ProviderDeposit, ReturnState, UnmatchedItem
from accounts.services.deposit_returns import approve_return, ask_about_return, propose_return, send_return
from accounts.services.provider_deposits import credit_found
from tests.stateful.money_model import attempt
from tests.stateful.money_providers import NOT_TAKEN, ProviderRules, outcomes
from tests.stateful.money_town import number, picked
from totalizator.core.errors import Refusal

UNCERTAIN = (ReturnState.UNKNOWN, ReturnState.SENT)
UNDER_WAY = (ReturnState.APPROVED, *UNCERTAIN)


class HeldRules(ProviderRules):
    """What a payment system took and may not be credited."""

    @rule(which=number)
    def hear_of_another_amount(self, which: int) -> None:
        deposit = picked(ProviderDeposit.objects.order_by("pk"), which)
        if deposit is None:
            return
        amount = deposit.amount + 7
        self.hear("deposit", deposit.reference, "done", 1, amount=amount)
        if deposit.state in NOT_TAKEN:
            self.system.payments[deposit.reference] = {
                "id": f"P-{deposit.pk}",
                "outcome": "done",
                "amount": amount,
                "currency": "BYN",
            }
            self.model.held += amount

    @rule(which=number)
    def credit_what_is_held(self, which: int) -> None:
        held = picked(_held(), which)
        if held is None:
            return
        item = UnmatchedItem.objects.filter(reference=held.deposit.reference, closed_at=None).order_by("pk").first()
        assert item is not None
        reasons = {Refusal.WRONG_STATE} if held.returns.filter(state__in=UNDER_WAY).exists() else set()
        staff = self.world.staff[0]
        with self.connected():
            attempt(lambda: credit_found(item=item, decision="Letter", decided_by=staff), reasons)
        if not reasons:
            self.model.held -= held.amount
            self.model.into(held.deposit.account.ledger_account, held.amount)

    @rule(which=number)
    def decide_to_give_back(self, which: int) -> None:
        held, (one, other) = picked(_held(), which), self.world.staff
        if held is None:
            return
        reasons = {Refusal.WRONG_STATE} if held.returns.filter(state__in=UNDER_WAY).exists() else set()
        proposal = attempt(lambda: propose_return(held=held, reason="Letter 7", proposed_by=one), reasons)
        if proposal is not None:
            attempt(lambda: approve_return(proposal=proposal, approved_by=one), {Refusal.SAME_PERSON})
            approve_return(proposal=proposal, approved_by=other)

    @rule(which=number, answer=st.sampled_from(["under_way", "done", "failed", "silent", "other"]))
    def send_back_by_the_payment_system(self, which: int, answer: str) -> None:
        back = picked(_returns(ReturnState.APPROVED), which)
        if back is None:
            return
        self.system.silent = answer == "silent"
        other = {"amount": back.held.taken + 1}
        self.system.answers = other if answer == "other" else {} if answer == "silent" else {"outcome": answer}
        with self.connected():
            stands = send_return(back=back)
        assert stands == {"under_way": "sent"}.get(answer, answer if answer in ("done", "failed") else "unknown")
        if answer == "other":
            self.system.payments[back.reference]["amount"] = back.held.taken
        self.note_returned(back.held)

    @rule(which=number, outcome=outcomes, times=st.integers(1, 3))
    def hear_of_a_return(self, which: int, outcome: str, times: int) -> None:
        back = picked(_returns(*UNCERTAIN, ReturnState.DONE, ReturnState.FAILED).filter(document=""), which)
        if back is None:
            return
        held = HeldDeposit.objects.get(pk=back.held_id)
        self.hear("refund", back.reference, outcome, times)
        self.note_returned(held)

    @rule(which=number)
    def ask_about_a_return(self, which: int) -> None:
        back = picked(_returns(*UNCERTAIN), which)
        if back is None:
            return
        with self.connected():
            ask_about_return(back=DepositReturn.objects.get(pk=back.pk))
        self.note_returned(back.held)

    @rule(which=number, returned=st.booleans())
    def end_a_return_by_a_letter(self, which: int, returned: bool) -> None:
        back, (one, other) = picked(_returns(*UNCERTAIN), which), self.world.staff
        if back is None:
            return
        proposal = propose_return(
            held=back.held, reason="Letter 9", document="Letter 9", returned=returned, proposed_by=one
        )
        approve_return(proposal=proposal, approved_by=other)
        self.note_returned(back.held)

    def note_returned(self, before: HeldDeposit) -> None:
        """Note the money of a deposit that was held, and that its payer has again."""
        state = HeldDeposit.objects.get(pk=before.pk).state
        if (before.state, state) == (HeldState.HELD, HeldState.RETURNED):
            self.model.held -= before.amount


def _held() -> QuerySet[HeldDeposit]:
    held = HeldDeposit.objects.filter(state=HeldState.HELD).order_by("pk")
    return held.select_related("deposit__account__ledger_account")


def _returns(*states: ReturnState) -> QuerySet[DepositReturn]:
    return DepositReturn.objects.filter(state__in=states).select_related("held__deposit").order_by("pk")
