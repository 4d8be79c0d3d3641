"""The guarantee sum: computed from the rows of everything, equal to the ledger, short of the bank or not (F3)."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.ledger.kinds import AccountKind
from accounts.ledger.posting import ledger_account
from accounts.models import PaymentOrder, Till, User
from accounts.services.payment_orders import note_exported, note_returned
from payouts.queries.guarantee import guarantee_sum
from payouts.services.guarantee import check_guarantee
from payouts.services.jackpot import add_to_jackpot
from payouts.tasks import book_due_payables, check_guarantee_daily, credit_due_accounts
from pools.models import Pool
from pools.services.cancelling import approve_cancellation, propose_cancellation
from tests.carding import bet_by_card, bought
from tests.desks import keeper
from tests.making import bet_from_account, bet_in_cash, make_organizers, make_player, make_pool, make_till
from tests.paying import broken, go_to, payable_from
from tests.posting import bank, game_account, move, post_all
from tests.settling import settle
from tests.topping_up import ask_back, named_bank, pay_in
from totalizator.core import clock
from totalizator.core.models import JournalRecord

pytestmark = pytest.mark.django_db


def parts() -> dict[str, tuple[int, int]]:
    """The debts that are not nothing: (computed, in the ledger)."""
    told = guarantee_sum().parts.items()
    return {str(kind): (part.computed, part.ledger) for kind, part in told if part.computed or part.ledger}


def test_each_debt_is_counted_once_from_the_bet_to_the_withdrawal() -> None:
    till, player = make_till(), make_player(1_000)
    (card,) = bought(till, face_value=500)
    pool = make_pool("sportloto-variant")
    assert parts() == {"game_account": (1_000, 1_000), "prepaid_card": (500, 500)}
    bet_from_account(pool, player, "1", 100)
    bet_by_card(pool, card, "X", 100)
    assert parts() == {"game_account": (900, 900), "prepaid_card": (400, 400), "pool_pot": (200, 200)}
    settle(pool, "1")
    assert parts() == {"game_account": (900, 900), "prepaid_card": (400, 400), "winnings_due": (140, 140)}
    book_due_payables()
    assert parts()["winnings_due"] == (140, 140)
    go_to(payable_from(pool))
    credit_due_accounts()
    assert parts() == {"game_account": (1_033, 1_033), "prepaid_card": (400, 400)}
    ask_back(player, 1_033, named_bank(player))
    assert parts() == {"withdrawals_due": (1_033, 1_033), "prepaid_card": (400, 400)}


def test_a_jackpot_that_is_reserved_is_counted_in_the_pool() -> None:
    add_to_jackpot(game="sportloto", amount=5_000, document="Order 1", actor=make_organizers()[0])
    pool = make_pool("sportloto-variant", terms={"jackpot": {"level": "all", "share": "1"}})
    bet_in_cash(pool, make_till(), "1", 100)
    assert parts() == {"jackpot": (5_000, 5_000), "pool_pot": (100, 100)}
    settle(pool, "1")
    assert parts() == {"winnings_due": (5_070, 5_070)}


def test_a_cancelled_pool_is_owed_before_and_after_it_is_booked() -> None:
    pool, (one, other) = make_pool("sportloto-variant"), make_organizers()
    bet_in_cash(pool, make_till(), "1", 100)
    propose_cancellation(code=pool.code, reason="off", document="Letter 7", proposed_by=one)
    approve_cancellation(code=pool.code, approved_by=other)
    assert parts() == {"refunds_due": (100, 100)}
    book_due_payables()
    assert parts() == {"refunds_due": (100, 100)}


def test_a_shortfall_is_a_significant_event_once_a_day(caplog: pytest.LogCaptureFixture) -> None:
    pay_in(make_player(), 1_000)
    check_guarantee_daily()
    assert not JournalRecord.objects.filter(act="guarantee_shortfall").exists()
    post_all(move("to nowhere", ledger_account(AccountKind.ORGANIZER), bank(), 1))
    check_guarantee_daily()
    assert not JournalRecord.objects.filter(act="guarantee_shortfall").exists()
    clock.move_clock(timedelta(days=1))
    for _ in range(2):
        check_guarantee_daily()
    event = JournalRecord.objects.get(act="guarantee_shortfall")
    assert event.after is not None
    assert (event.after["required"], event.after["in_bank"], event.after["shortfall"]) == (1_000, 999, 1)
    assert "falls short" in caplog.text
    assert JournalRecord.objects.filter(act="check_guarantee").count() == 2


def test_cash_and_what_a_payment_system_holds_is_not_in_the_bank() -> None:
    bet_in_cash(make_pool("sportloto-variant"), make_till(), "1", 100)
    guarantee = guarantee_sum()
    assert (guarantee.required, guarantee.in_bank, guarantee.elsewhere, guarantee.shortfall) == (100, 0, 100, 100)


def test_a_debt_that_the_ledger_denies_is_told_and_the_larger_sum_counts() -> None:
    pool = make_pool("sportloto-variant")
    bet_in_cash(pool, make_till(), "1", 100)
    post_all(move("astray", ledger_account(AccountKind.POOL_POT, pool.code), game_account(), 40))
    guarantee = check_guarantee(actor="test")
    assert guarantee.differing == [AccountKind.POOL_POT]
    assert guarantee.required == 100 + 40
    assert JournalRecord.objects.filter(act="guarantee_differs").exists()


# -- any history ----------------------------------------------------------------------------------------------

Acts = dict[str, Callable[[int], object]]


class World:
    """Two players, a till and the pools on sale; each act takes a number and does what it can."""

    def __init__(self) -> None:
        self.till: Till = make_till(100_000)
        self.players: list[User] = [make_player(10_000) for _ in range(2)]
        self.on_sale: list[Pool] = [make_pool("sportloto-variant")]
        self.closed: list[Pool] = []

    def acts(self) -> Acts:
        return {
            "pay in": lambda n: pay_in(self.players[n % 2], 1 + n),
            "bet": lambda n: bet_from_account(self.on_sale[-1], self.players[n % 2], "1X2"[n % 3], 100),
            "sell": lambda n: bet_in_cash(self.on_sale[-1], self.till, "1X2"[n % 3], 100),
            "withdraw": lambda n: ask_back(self.players[n % 2], 1 + n, named_bank(self.players[n % 2])),
            "export": lambda _n: note_exported(orders=list(self._orders("drawn_up")), file_digest="x", actor="t"),
            "return": lambda _n: self._return(),
            "settle": lambda n: self._settle("1X2"[n % 3]),
            "cancel": lambda _n: self._cancel(),
            "book": lambda _n: book_due_payables(),
            "credit": lambda _n: self._credit(),
        }

    def _orders(self, state: str) -> Iterator[PaymentOrder]:
        return PaymentOrder.objects.filter(state=state).select_related("withdrawal").iterator()

    def _return(self) -> None:
        for order in self._orders("exported"):
            note_returned(order=order, reason="x", by=keeper())

    def _settle(self, right: str) -> None:
        pool = self.on_sale.pop()
        settle(pool, right)
        self.closed.append(pool)
        self.on_sale.append(make_pool("sportloto-variant"))

    def _cancel(self) -> None:
        pool, (one, other) = self.on_sale.pop(), make_organizers()
        propose_cancellation(code=pool.code, reason="off", document="L", proposed_by=one)
        approve_cancellation(code=pool.code, approved_by=other)
        self.on_sale.append(make_pool("sportloto-variant"))

    def _credit(self) -> None:
        if self.closed:
            go_to(max(payable_from(pool) for pool in self.closed))
            credit_due_accounts()


NAMES = ("pay in", "bet", "sell", "withdraw", "export", "return", "settle", "cancel", "book", "credit")


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(history=st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 500)), min_size=5, max_size=14))
def test_the_computed_sum_is_the_ledgers_on_any_history(history: list[tuple[str, int]]) -> None:
    from tests.making import keep_register_fresh
    from totalizator.core.errors import DomainError

    with transaction.atomic():
        world = World()
        acts = world.acts()
        for name, number in history:
            keep_register_fresh()
            try:
                with transaction.atomic():
                    acts[name](number)
            except DomainError:
                if name in ("settle", "cancel"):
                    raise
            guarantee = guarantee_sum()
            assert guarantee.differing == [], (name, guarantee.parts)
        assert broken() == []
        transaction.set_rollback(True)
