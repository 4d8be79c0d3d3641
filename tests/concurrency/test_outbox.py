"""Numbers while acts are being committed: nothing is ever put before what has been told, no bet passed over (U1)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from pools.models import Bet, Pool
from pools.services import telling_bets
from pools.services.telling_bets import number_what_happened
from tests.concurrency.racing import race
from tests.making import bet_in_cash, make_pool, make_till
from totalizator.core import clock
from totalizator.core.models import OutboxEvent, PendingEvent
from totalizator.core.outbox import hold_numbering, number_events, tell
from totalizator.core.outbox_delivery import batch_after
from totalizator.core.outbox_kinds import EventKind
from totalizator.core.outbox_models import Subscriber

pytestmark = pytest.mark.django_db(transaction=True)


def in_a_thread(act: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        try:
            return act()
        finally:
            connection.close()

    return run


def tickets_told() -> list[str]:
    payloads = OutboxEvent.objects.filter(kind="bets.registered").order_by("sequence").values_list("payload", flat=True)
    return [bet["ticket"] for payload in payloads for bet in payload["bets"]]


def one_bet_is_late(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Let a bet stay uncommitted while a later one is committed and numbers are given; return both tickets."""
    slow, quick = make_till(), make_till()
    registered, commit = Event(), Event()

    def hold_a_bet_open() -> str:
        with transaction.atomic():
            ticket = bet_in_cash(pool, slow, "1", 100).bet.ticket
            registered.set()
            assert commit.wait(timeout=30)
        return ticket

    with ThreadPoolExecutor(1) as threads:
        late = threads.submit(in_a_thread(hold_a_bet_open))
        assert registered.wait(timeout=30)
        early = bet_in_cash(pool, quick, "1", 100).bet.ticket
        monkeypatch.setattr(telling_bets, "LOOKS", 3)
        number_what_happened()
        commit.set()
        return late.result(), early


def test_a_bet_that_is_committed_late_is_told_before_those_that_came_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool("sportloto-variant")
    late, early = one_bet_is_late(pool, monkeypatch)
    assert tickets_told() == []
    number_what_happened()
    assert tickets_told() == [late, early]


def test_without_waiting_for_it_the_bet_would_never_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make_pool("sportloto-variant")
    with monkeypatch.context() as careless:
        careless.setattr(telling_bets, "certain_instant", clock.now)
        late, early = one_bet_is_late(pool, careless)
    number_what_happened()
    assert tickets_told() == [early]
    assert Bet.objects.filter(ticket=late).exists()


def test_selling_and_numbering_at_once_tells_every_bet_once() -> None:
    pool, tills = make_pool("sportloto-variant"), [make_till() for _ in range(3)]
    over = Event()

    def sell_some(till: Any) -> list[str]:
        return [bet_in_cash(pool, till, "1", 100).bet.ticket for _ in range(15)]

    def number_all_the_time() -> list[str]:
        while not over.is_set():
            number_what_happened()
        return []

    with ThreadPoolExecutor(5) as threads:
        numbering = [threads.submit(in_a_thread(number_all_the_time)) for _ in range(2)]
        selling = [threads.submit(in_a_thread(partial(sell_some, till))) for till in tills]
        sold = [ticket for job in selling for ticket in job.result()]
        over.set()
        for job in numbering:
            job.result()
    number_what_happened()
    assert sorted(tickets_told()) == sorted(sold)
    assert list(OutboxEvent.objects.order_by("sequence").values_list("sequence", flat=True)) == list(
        range(1, OutboxEvent.objects.count() + 1)
    )


def test_a_reader_never_finds_a_number_before_one_that_it_has() -> None:
    reader = Subscriber(kinds=[])
    over = Event()

    def act(name: int) -> Callable[[], list[int]]:
        def tell_some() -> list[int]:
            for number in range(20):
                with transaction.atomic():
                    tell(EventKind.RULES_PUBLISHED, "rules", {"act": [name, number]}, at=clock.now())
            return []

        return tell_some

    def number() -> list[int]:
        while not over.is_set():
            with transaction.atomic():
                hold_numbering()
                number_events(until=clock.now())
        return []

    def read() -> list[int]:
        seen: list[int] = []
        after = 0
        while not over.is_set() or PendingEvent.objects.exists():
            batch = batch_after(reader, after, most=7)
            seen += [event.sequence for event in batch.events]
            after = batch.through
            if len(seen) == 60:
                over.set()
                break
        return seen

    outcomes = race([act(1), act(2), act(3), number, number, read])
    assert outcomes[-1] == list(range(1, 61))
    told = [tuple(event.payload["act"]) for event in OutboxEvent.objects.order_by("sequence")]
    assert len(set(told)) == 60
    for name in (1, 2, 3):
        assert [each for each in told if each[0] == name] == [(name, number) for number in range(20)]
