"""A shift closed while the till sells; a terminal switched off in the middle of its bets (C1, C2)."""

import secrets
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest
from django.db import connection

from accounts.ledger.balances import balance
from accounts.models import Shift, Terminal, Till
from accounts.queries.desks import DeskStanding, desk_standing
from accounts.services import desks, shifts
from accounts.services.shifts import close_shift
from accounts.services.switching import switch_terminal
from accounts.services.z_reports import figures_of
from pools.models import Bet, Pool
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import from_terminal
from tests.concurrency.racing import race
from tests.desks import begin_shift, cash_in, keeper, make_terminal
from tests.making import bet_in_cash, make_pool, make_till
from tests.paying import broken
from totalizator.core.errors import DomainError, Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def sell_until_refused(pool: Pool, till: Till, stop: Event) -> DomainError | None:
    """Sell at the till until a refusal."""
    while not stop.is_set():
        try:
            bet_in_cash(pool, till, "1;1;1", 100, key=secrets.token_hex(8))
        except DomainError as refusal:
            return refusal
    return None


def close_in_the_middle(pool: Pool, till: Till) -> tuple[Shift, list[DomainError | None]]:
    """Close the shift while three threads sell; return it and what stopped the sellers."""
    shift, stop = Shift.objects.get(till=till), Event()

    def close() -> Shift:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        try:
            for _try in range(50):  # a closing waits as long as a lock may be waited for, and is then asked again
                expected = cash_in(till)
                try:
                    return close_shift(shift=shift, counted=expected, closed_by=keeper(), reason="Counted.")
                except DomainError as refusal:
                    if refusal.code != Refusal.BUSY:
                        raise
            raise AssertionError("the closing never got the till")
        finally:
            stop.set()

    acts: list[Callable[[], Any]] = [close, *[partial(sell_until_refused, pool, till, stop)] * 3]
    closed, *sellers = race(acts)
    assert isinstance(closed, Shift)
    return closed, sellers


def test_every_sale_is_in_the_shift_or_refused() -> None:
    pool, till = make_pool(), make_till(1_000)
    keeper()
    closed, sellers = close_in_the_middle(pool, till)
    stopped = [refusal.code for refusal in sellers if refusal is not None]
    assert set(stopped) <= {Refusal.NO_OPEN_SHIFT}
    sold = Bet.objects.count()
    figures = figures_of(closed.z_report)
    assert (figures["float"], figures["in"], figures["elsewhere"]) == (1_000, 100 * sold, 0)
    assert [(line["kind"], line["count"]) for line in figures["lines"]] == ([("stake", sold)] if sold else [])
    assert closed.expected == 1_000 + 100 * sold
    assert balance(till.ledger_account) == closed.counted
    assert broken() == []


def test_negative_control_without_the_tills_lock_a_sale_falls_behind_the_closed_shift(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sale that has passed its gate waits; without the lock the shift closes over it."""
    pool, till = make_pool(), make_till(1_000)
    shift, staff = Shift.objects.get(till=till), keeper()
    passed, closed = Event(), Event()

    def slow_standing(*asked: Any) -> DeskStanding:
        answer = desk_standing(*asked)
        passed.set()
        closed.wait(timeout=30)
        return answer

    monkeypatch.setattr(desks, "hold_till_shared", lambda _till_id: None)
    monkeypatch.setattr(desks, "desk_standing", slow_standing)

    def close() -> Shift:
        passed.wait(timeout=30)
        try:
            return close_shift(shift=shift, counted=1_000, closed_by=staff)
        finally:
            closed.set()

    acts: list[Callable[[], Any]] = [partial(bet_in_cash, pool, till, "1;1;1", 100), close]
    sale, ended = race(acts)
    assert isinstance(sale, PlacedBet)
    assert isinstance(ended, Shift)
    assert ended.closed_at is not None
    assert (ended.expected, balance(till.ledger_account)) == (1_000, 1_100)  # cash of no shift


def test_with_the_lock_the_closing_waits_for_the_sale_that_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, till = make_pool(), make_till(1_000)
    shift, staff = Shift.objects.get(till=till), keeper()
    passed = Event()

    def slow_standing(*asked: Any) -> DeskStanding:
        answer = desk_standing(*asked)
        passed.set()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.5)")
        return answer

    monkeypatch.setattr(desks, "desk_standing", slow_standing)

    def close() -> Shift:
        passed.wait(timeout=30)
        return close_shift(shift=shift, counted=1_100, closed_by=staff)

    acts: list[Callable[[], Any]] = [partial(bet_in_cash, pool, till, "1;1;1", 100), close]
    sale, ended = race(acts)
    assert isinstance(sale, PlacedBet)
    assert isinstance(ended, Shift)
    assert (ended.expected, ended.counted, balance(till.ledger_account)) == (1_100, 1_100, 1_100)
    assert figures_of(ended.z_report)["elsewhere"] == 0


def test_a_shift_is_opened_once_and_closed_once() -> None:
    till = make_till(100, shift=False)
    assert till.cashier is not None
    cashier, staff = till.cashier, keeper()
    opened = race([lambda: shifts.open_shift(till=till, cashier=cashier, counted=100)] * 4)
    (shift,) = [each for each in opened if isinstance(each, Shift)]
    assert {each.code for each in opened if isinstance(each, DomainError)} == {Refusal.WRONG_STATE}
    closed = race([lambda: close_shift(shift=shift, counted=90, closed_by=staff, reason="Lost.")] * 4)
    assert len([each for each in closed if isinstance(each, Shift)]) == 1
    assert balance(till.ledger_account) == 90
    assert begin_shift(till).number == 2


def test_c1_a_terminal_switched_off_in_the_middle_of_a_request_sells_nothing_after() -> None:
    till, pool, staff = make_till(), make_pool(), keeper()
    terminal = make_terminal(till).terminal
    codes: list[Refusal] = []

    def sell() -> int:
        sold = 0
        while not codes:
            try:
                place_bet(
                    pool_code=pool.code,
                    selections="1;1;1",
                    stake=100,
                    source=from_terminal(terminal),
                    idempotency_key=secrets.token_hex(8),
                )
            except DomainError as refusal:
                codes.append(refusal.code)
            else:
                sold += 1
        return sold

    def switch_off() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        switch_terminal(terminal=Terminal.objects.get(), on=False, reason="Stolen.", by=staff)
        return Bet.objects.count()

    acts: list[Callable[[], Any]] = [switch_off, sell, sell]
    at_the_switch, *sold = race(acts)
    assert set(codes) == {Refusal.SWITCHED_OFF}
    assert (
        at_the_switch == Bet.objects.count() == sum(int(count) for count in sold if not isinstance(count, DomainError))
    )


def test_c1_negative_control_without_the_lock_a_bet_is_registered_after_the_switch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    till, pool, staff = make_till(), make_pool(), keeper()
    terminal = make_terminal(till).terminal
    passed, off = Event(), Event()

    def slow_standing(*asked: Any) -> DeskStanding:
        answer = desk_standing(*asked)
        passed.set()
        off.wait(timeout=30)
        return answer

    monkeypatch.setattr(desks, "hold_till_shared", lambda _till_id: None)
    monkeypatch.setattr(desks, "desk_standing", slow_standing)

    def switch_off() -> int:
        passed.wait(timeout=30)
        switch_terminal(terminal=Terminal.objects.get(), on=False, reason="Stolen.", by=staff)
        bets = Bet.objects.count()
        off.set()
        return bets

    def sell() -> int:
        place_bet(
            pool_code=pool.code, selections="1;1;1", stake=100, source=from_terminal(terminal), idempotency_key="K"
        )
        return 1

    assert race([switch_off, sell]) == [0, 1]
    assert Bet.objects.count() == 1
