"""The money machine's rules of bets: for cash, at a terminal, by account, card and transfer, on paper, repeated."""

from datetime import datetime, timedelta
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from accounts.models import LimitKind, LimitPeriod, Person, User
from accounts.services.limits import set_limit
from accounts.services.terminals import synchronise
from pools.models import BetOrder, BetOrderState, Channel, FormState, PaperForm
from pools.services.paper_forms import approve_form
from pools.services.sources import from_card, from_game_account, from_terminal, from_till
from tests.banking import order_bet, pay_for
from tests.making import account_of
from tests.paper import enter, issue
from tests.stateful.money_model import PRICE, Slip, attempt
from tests.stateful.money_town import Town, cashier_of, number, picked
from totalizator.core import clock
from totalizator.core.errors import Refusal

marks = st.sampled_from("1X")


class BetRules(Town):
    """A bet of 1.00 by every way there is."""

    def __init__(self) -> None:
        super().__init__()
        self.stakes: list[tuple[int, datetime]] = []

    @rule(of=number, at=number, mark=marks)
    def sell_for_cash(self, of: int, at: int, mark: str) -> None:
        book, till = self.book(of), self.till(at)
        reasons = self.model.of_pool(book, Channel.CASH) | self.model.at_desk(till)
        placed = self.bet(book, mark, partial(from_till, cashier_of(till)), reasons)
        if placed is not None:
            self.model.into(till.ledger_account, PRICE)
            self.note(book, mark, placed)

    @rule(of=number, mark=marks, out_of_touch=st.booleans())
    def sell_at_the_terminal(self, of: int, mark: str, out_of_touch: bool) -> None:
        book, till, terminal = self.book(of), self.world.tills[1], self.world.terminal
        synchronise(terminal=terminal)
        if out_of_touch:
            clock.move_clock(timedelta(minutes=2))
        reasons = self.model.of_pool(book, Channel.CASH) | self.model.at_desk(till)
        reasons |= {Refusal.LINK_LOST} if out_of_touch else set()
        placed = self.bet(book, mark, partial(from_terminal, terminal), reasons)
        if placed is not None:
            self.model.into(till.ledger_account, PRICE)
            self.note(book, mark, placed)

    @rule(of=number, by=number, mark=marks)
    def bet_from_the_account(self, of: int, by: int, mark: str) -> None:
        book, player = self.book(of), self.player(by)
        account = account_of(player).ledger_account
        reasons = self.model.of_pool(book, Channel.ACCOUNT) | self.model.short(account, PRICE) | self.over_limit(player)
        placed = self.bet(book, mark, partial(from_game_account, player), reasons)
        if placed is not None:
            self.model.into(account, -PRICE)
            self.note(book, mark, placed, pays_back=True)
            self.stakes.append((player.pk, placed.bet.registered_at))

    @rule(of=number, by=number, mark=marks)
    def bet_by_card(self, of: int, by: int, mark: str) -> None:
        book, bought = self.book(of), self.card(by)
        reasons = self.why_no_card(bought, PRICE) | self.model.of_pool(book, Channel.CARD)
        source = partial(from_card, series=bought.series, number=bought.number, code=bought.code)
        placed = self.bet(book, mark, source, reasons)
        if placed is not None:
            self.model.into(placed.bet.paid_from, -PRICE)
            self.note(book, mark, placed, pays_back=True)

    @rule(of=number, mark=marks)
    def order_by_transfer(self, of: int, mark: str) -> None:
        book = self.book(of)
        attempt(lambda: order_bet(book.pool, mark), set() if book.open else {Refusal.POOL_CLOSED})

    @rule(which=number, amount=st.sampled_from([PRICE, PRICE, PRICE - 1, PRICE + 50]))
    def pay_an_order(self, which: int, amount: int) -> None:
        order = picked(BetOrder.objects.order_by("pk"), which)
        if order is None:
            return
        book = self.book_of(order.pool_id)
        becomes_a_bet = book.open and order.state == BetOrderState.OPEN and amount >= PRICE
        pay_for(order, amount)
        order.refresh_from_db()
        self.model.suspense += amount
        if becomes_a_bet:
            self.model.suspense -= PRICE
            book.slips.append(Slip(order.selections, order.ticket or "", "", None, by_bank=True))

    @rule(of=number, at=number, mark=marks)
    def enter_a_form(self, of: int, at: int, mark: str) -> None:
        book, till = self.book(of), self.till(at)
        form = enter(book.pool, till, issue(till).first, mark)
        assert form.state == (FormState.ENTERED if book.open else FormState.TO_RETURN)

    @rule(which=number)
    def approve_a_form(self, which: int) -> None:
        form = picked(PaperForm.objects.filter(state=FormState.ENTERED).order_by("number"), which)
        if form is None:
            return
        book = self.book_of(form.pool_id)
        reasons = self.model.at_desk(form.till) if book.open else set()
        approved = attempt(lambda: approve_form(number=form.number, approved_by=self.world.staff[0]), reasons)
        if approved is not None and approved.placed is not None:
            self.model.into(form.till.ledger_account, PRICE)
            self.note(book, form.selections, approved.placed)
        assert approved is None or (approved.placed is not None) == book.open

    @precondition(lambda self: self.again)
    @rule(which=number)
    def repeat_a_request(self, which: int) -> None:
        request, ticket = self.again[which % len(self.again)]
        placed = request()
        assert (placed.replayed, placed.bet.ticket) == (True, ticket)

    @rule(by=number, amount=st.sampled_from([0, 150, 400]))
    def limit_stakes(self, by: int, amount: int) -> None:
        """Lower a limit at once; a raise has to wait, and is never confirmed here."""
        player = self.player(by)
        person = Person.objects.get(player=player)
        set_limit(person=person, kind=LimitKind.STAKE, period=LimitPeriod.DAY, amount=amount, actor=player.actor)
        self.model.limits[player.pk] = min(amount, self.model.limits.get(player.pk, amount))

    def over_limit(self, player: User) -> set[Refusal]:
        """Return whether one more bet would pass the player's limit of a day."""
        limit = self.model.limits.get(player.pk)
        if limit is None:
            return set()
        since = clock.now() - timedelta(days=1)
        staked = PRICE * sum(who == player.pk and at > since for who, at in self.stakes)
        return {Refusal.LIMIT_REACHED} if staked + PRICE > limit else set()
