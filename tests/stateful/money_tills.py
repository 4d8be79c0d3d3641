"""The money machine's rules of tills: shifts, floats, handovers, reversals, switches and pauses."""

from contextlib import suppress
from functools import partial

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from accounts.ledger.posting import DuplicateTransfer
from accounts.ledger.reversal import reverse
from accounts.models import Entry, Handover, HandoverState, Route, Transfer
from accounts.services.handovers import announce_handover, receive_handover
from accounts.services.points import give_float
from accounts.services.shifts import close_shift, open_shift, open_shift_of
from accounts.services.switching import switch_till
from pools.models import Channel, Incident
from pools.services.pausing import pause_sales, resume_sales
from tests.desks import keeper
from tests.stateful.money_model import attempt
from tests.stateful.money_town import Town, cashier_of, new_key, number, picked
from totalizator.core import clock
from totalizator.core.errors import Refusal

differences = st.sampled_from([0, 0, 0, -7, 5])


class TillRules(Town):
    """Cash from count to count, and what keeps a desk from selling."""

    def __init__(self) -> None:
        super().__init__()
        self.floats: list[str] = []
        self.incidents: list[Incident] = []

    @rule(at=number, difference=differences)
    def open_or_close_a_shift(self, at: int, difference: int) -> None:
        till, model = self.till(at), self.model
        account, shift = till.ledger_account, open_shift_of(till)
        held = model.holds(account)
        counted = max(held + difference, 0)
        reason = "Given as change." if counted != held else ""
        if shift is not None:
            closed = close_shift(shift=shift, counted=counted, closed_by=cashier_of(till), reason=reason)
            assert (
                closed.expected == held == model.floats.pop(till.pk) + model.came[account.pk] - model.went[account.pk]
            )
        else:
            reasons = {Refusal.SWITCHED_OFF} if till.pk in model.off else set()
            act = partial(open_shift, till=till, cashier=cashier_of(till), counted=counted, reason=reason)
            if attempt(act, reasons) is None:
                return
            model.floats[till.pk] = counted
            model.came[account.pk] = model.went[account.pk] = 0
        model.sums[account.pk] = counted

    @rule(at=number, amount=st.integers(1, 400))
    def hand_cash_over(self, at: int, amount: int) -> None:
        till = self.till(at)
        reasons = self.model.short(till.ledger_account, amount)
        reasons |= {Refusal.NO_OPEN_SHIFT} if till.pk not in self.model.floats else set()
        act = partial(announce_handover, route=Route.POINT_TO_DESK, amount=amount, given_by=cashier_of(till), till=till)
        if attempt(act, reasons) is not None:
            self.model.into(till.ledger_account, -amount)

    @rule(which=number, difference=differences)
    def receive_a_handover(self, which: int, difference: int) -> None:
        handover = picked(Handover.objects.filter(state=HandoverState.ANNOUNCED).order_by("number"), which)
        if handover is not None:
            counted = max(handover.amount + difference, 0)
            reason = "Counted twice." if counted != handover.amount else ""
            receive_handover(handover=handover, counted=counted, received_by=self.world.staff[0], reason=reason)

    @rule(at=number, amount=st.integers(1, 300))
    def bring_a_float(self, at: int, amount: int) -> None:
        till, document = self.till(at), f"bag-{next(new_key)}"
        assert give_float(till=till, amount=amount, document=document, by=keeper())
        assert not give_float(till=till, amount=amount, document=document, by=keeper())
        self.model.into(till.ledger_account, amount)
        self.floats.append(document)

    @precondition(lambda self: self.floats)
    @rule(which=number)
    def undo_a_float(self, which: int) -> None:
        """A float that was booked by mistake is reversed once, if the cash is still there."""
        brought = Transfer.objects.get(key=f"till-float:{self.floats[which % len(self.floats)]}")
        entry = Entry.objects.select_related("debit").get(book=brought.book, key=brought.key)
        undone = Transfer.objects.filter(key=f"reversal:{brought.key}").exists()
        act = transaction.atomic(partial(reverse, brought, occurred_at=clock.now(), cause="act 1"))
        with suppress(DuplicateTransfer):
            done = attempt(act, set() if undone else self.model.short(entry.debit, entry.amount))
            assert not undone
            if done is not None:
                self.model.into(entry.debit, -entry.amount)

    @rule(at=number)
    def switch_a_till(self, at: int) -> None:
        till = self.till(at)
        switch_till(till=till, on=till.pk in self.model.off, reason="Checked.", by=self.world.staff[0])
        self.model.off ^= {till.pk}

    @rule(channel=st.sampled_from([Channel.CASH, Channel.CARD, Channel.ACCOUNT]))
    def pause_or_resume(self, channel: Channel) -> None:
        staff = self.world.staff[0]
        standing = next((incident for incident in self.incidents if incident.channel == channel), None)
        if standing is None:
            self.incidents.append(pause_sales(cause="The network is slow.", paused_by=staff, channel=channel))
        else:
            self.incidents.remove(standing)
            resume_sales(incident=standing, outcome="It is not.", resumed_by=staff)
        self.model.paused[channel] = 1 - self.model.paused[channel]
