"""A request whose twin is still being written when something stands against it: both get one answer (C36, C38)."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from pools.models import Bet
from pools.services.betting import PlacedBet
from tests.concurrency.racing import race
from tests.making import bet_in_cash, make_pool, make_till
from tests.paying import go_to
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 20
WRITTEN_FOR = 0.5
"""Seconds: how long the first one is still being written after the second has come."""


def in_two_clicks(click: Callable[[], PlacedBet], between: Callable[[], None], *, undone: bool) -> list[object]:
    """Click, let something happen before that is committed, click again; then commit the first, or take it back."""
    written, go_on, answers = Event(), Event(), dict[int, object]()

    def first() -> None:
        try:
            with one_transaction():
                answers[0] = click()
                written.set()
                assert go_on.wait(PATIENCE)
                transaction.set_rollback(undone)
        finally:
            connection.close()

    def second() -> None:
        (answers[1],) = race([click])

    threads = [Thread(target=first), Thread(target=second)]
    threads[0].start()
    assert written.wait(PATIENCE)
    between()
    threads[1].start()
    threads[1].join(WRITTEN_FOR)
    assert threads[1].is_alive()  # it waits for what becomes of the first
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
    return [answers[0], answers[1]]


def test_c38_who_clicks_again_after_the_closing_is_told_what_became_of_the_click_before_it() -> None:
    pool, till = make_pool(), make_till()
    click = partial(bet_in_cash, pool, till, "1;X;2", 100, key="one form")
    closing = partial(go_to, pool.closes_at + timedelta(seconds=1))
    first, second = in_two_clicks(click, closing, undone=False)
    assert isinstance(first, PlacedBet)
    assert isinstance(second, PlacedBet)
    assert (second.bet.ticket, second.check_code, second.replayed) == (first.bet.ticket, first.check_code, True)
    assert Bet.objects.count() == 1


def test_c38_of_a_click_that_was_undone_the_next_one_is_told_nothing() -> None:
    pool, till = make_pool(), make_till()
    click = partial(bet_in_cash, pool, till, "1;X;2", 100, key="one form")
    _first, second = in_two_clicks(click, partial(go_to, pool.closes_at + timedelta(seconds=1)), undone=True)
    assert isinstance(second, DomainError)
    assert (second.code, Bet.objects.count()) == (Refusal.POOL_CLOSED, 0)
