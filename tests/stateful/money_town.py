"""What all rules of the money machine share: the town, the pools so far, and the model beside them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model as Row
from django.db.models import QuerySet
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from accounts.models import CardState, Till, User
from pools.models import Settlement
from pools.queries.announced import forget_pools
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import BetSource
from tests.carding import Bought
from tests.making import keep_register_fresh, make_pool
from tests.paying import go_to
from tests.stateful.money_model import PRICE, Book, Model, Slip, World, attempt, faults
from totalizator.core import clock
from totalizator.core.errors import Refusal

number = st.integers(0, 11)
"""Which of some things: counted around."""
new_key = count(1)
R = TypeVar("R", bound=Row)


class Town(RuleBasedStateMachine):
    """One town and its pools of Sportloto-Variant at 1.00; each run is undone at its end."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.example = transaction.atomic()
        # What is durable commits into it, as into a test's own transaction.
        self.example._from_testcase = True  # type: ignore[attr-defined]
        self.example.__enter__()
        forget_pools()
        self.model = Model(self.world)
        self.books = [self.announced()]
        self.again: list[tuple[Callable[[], PlacedBet], str]] = []

    def teardown(self) -> None:
        try:
            assert faults() == []
        finally:
            transaction.set_rollback(True)
            self.example.__exit__(None, None, None)
            forget_pools()

    @invariant()
    def ledger_and_model_agree(self) -> None:
        self.model.assert_held()

    def announced(self) -> Book:
        """Announce a pool that is open."""
        return Book(make_pool("sportloto-variant", keys=self.world.keys))

    def book(self, of: int) -> Book:
        return self.books[of % len(self.books)]

    def book_of(self, pool_id: int | None) -> Book:
        return next(book for book in self.books if book.pool.pk == pool_id)

    def till(self, at: int) -> Till:
        return self.world.tills[at % len(self.world.tills)]

    def player(self, by: int) -> User:
        return self.world.players[by % len(self.world.players)]

    def card(self, which: int) -> Bought:
        return self.world.cards[which % len(self.world.cards)]

    def bet(self, book: Book, mark: str, source: Callable[[], BetSource], reasons: set[Refusal]) -> PlacedBet | None:
        """Bet `mark`; a bet that was taken can be asked for again."""
        told: dict[str, Any] = {"pool_code": book.pool.code, "selections": mark, "stake": PRICE}
        told["idempotency_key"] = f"bet-{next(new_key)}"
        placed = attempt(lambda: place_bet(source=source(), **told), reasons)
        if placed is not None:
            self.again.append((lambda: place_bet(source=source(), **told), placed.bet.ticket))
        return placed

    def note(self, book: Book, mark: str, placed: PlacedBet, *, pays_back: bool = False) -> None:
        """Note a bet; with `pays_back` what it wins goes to where its stake came from."""
        pay_to = placed.bet.paid_from if pays_back else None
        book.slips.append(Slip(mark, placed.bet.ticket, "" if pays_back else placed.check_code, pay_to))

    def why_no_card(self, bought: Bought, amount: int) -> set[Refusal]:
        """Return why a card does not pay so much; after a while, so that wrong tries are not throttled (C61)."""
        card = bought.card
        clock.move_clock(timedelta(minutes=2))
        if card.state != CardState.ACTIVE or card.ledger_account is None or not self.model.holds(card.ledger_account):
            return {Refusal.CARD_REFUSED}
        return self.model.short(card.ledger_account, amount)

    def wait(self, until: datetime) -> None:
        """Let the time come, if it has not; the register is read as on every morning."""
        if clock.now() < until:
            go_to(until)
        keep_register_fresh()


def term(book: Book) -> tuple[datetime, datetime]:
    """Return from when on, and until when, the winnings of a settled pool are paid."""
    settlement = Settlement.objects.get(pool=book.pool)
    assert settlement.payable_from is not None
    assert settlement.payable_until is not None
    return settlement.payable_from, settlement.payable_until


def cashier_of(till: Till) -> User:
    assert till.cashier is not None
    return till.cashier


def picked(rows: QuerySet[R], which: int) -> R | None:
    """Return one of the rows, if there are any."""
    found = list(rows)
    return found[which % len(found)] if found else None
