"""Clients that place bets when they are told to: threads of two processes, as the threads of two web servers are."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from threading import Barrier
from time import perf_counter, process_time
from types import TracebackType
from typing import Self

from bench.game import CONDITIONS, PRICE, SIGNS

STOP = None
PROCESSES = 2  # a Python keeps one core busy
WARM_UP = 20  # bets


@dataclass(frozen=True, slots=True)
class Burst:
    """What a process did, in seconds: how long each bet took, all of them together, and how long it had a core."""

    took: list[float]
    seconds: float
    on_core: float

    @property
    def pace(self) -> float:
        """Bets a second."""
        return len(self.took) / self.seconds


@dataclass(frozen=True, slots=True)
class Order:
    """How many clients a process is to be, and when each is to end: after so long, or after so many bets."""

    clients: int
    seconds: float = inf
    bets: float = inf


class Clients:
    """Up to so many clients, each with a connection of its own."""

    def __init__(self, count: int, pool_code: str, player_ids: list[int]) -> None:
        context = get_context("spawn")
        self._ends: list[Connection] = []
        self._processes = []
        for number in range(min(PROCESSES, count)):
            here, there = context.Pipe()
            own = player_ids[number::PROCESSES]
            self._processes.append(context.Process(target=_serve, args=(there, pool_code, own), daemon=True))
            self._ends.append(here)

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        for end in self._ends:
            end.recv()  # set up
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in self._ends:
            end.send(STOP)
        for process in self._processes:
            process.join()

    def run(self, clients: int, seconds: float) -> list[Burst]:
        """Have so many clients place bets for so long, all at once."""
        orders = [Order(len(range(number, clients, PROCESSES)), seconds=seconds) for number in range(PROCESSES)]
        return self._give([order for order in orders if order.clients])

    def place(self, bets: int) -> None:
        """Have one client place so many bets."""
        self._give([Order(1, bets=bets)])

    def _give(self, orders: list[Order]) -> list[Burst]:
        busy = self._ends[: len(orders)]
        for end, order in zip(busy, orders, strict=True):
            end.send(order)
        return [end.recv() for end in busy]


def _serve(parent: Connection, pool_code: str, player_ids: list[int]) -> None:
    """Run in a process until told to stop."""
    import django

    django.setup()

    from accounts.models import User
    from pools.services.betting import place_bet
    from pools.services.sources import from_game_account

    sources = [from_game_account(player) for player in User.objects.filter(pk__in=player_ids)]
    chance = Random(player_ids[0])

    def bet() -> None:
        marks = ";".join(chance.choices(SIGNS, k=CONDITIONS))
        place_bet(
            pool_code=pool_code,
            selections=marks,
            stake=PRICE,
            source=chance.choice(sources),
            idempotency_key=secrets.token_hex(16),
        )

    parent.send("ready")
    while (order := parent.recv()) is not STOP:
        parent.send(_burst(bet, order))


def _burst(bet: Callable[[], None], order: Order) -> Burst:
    """Be so many clients, who are warm before the first one begins."""
    from django.db import connection

    begun: list[tuple[float, float]] = []
    together = Barrier(order.clients, action=lambda: begun.append((perf_counter(), process_time())))

    def client() -> list[float]:
        try:
            if order.bets == inf:
                _times(bet, Order(1, bets=WARM_UP))
            together.wait()
            return _times(bet, order)
        finally:
            connection.close()

    with ThreadPoolExecutor(order.clients) as threads:
        clients = [threads.submit(client) for _ in range(order.clients)]
        took = [second for ended in clients for second in ended.result()]
        ((started, on_core_then),) = begun
        return Burst(took, perf_counter() - started, process_time() - on_core_then)


def _times(bet: Callable[[], None], order: Order) -> list[float]:
    """Place bets one after another until the order ends; return how long each took."""
    took: list[float] = []
    started = before = perf_counter()
    while before - started < order.seconds and len(took) < order.bets:
        bet()
        after = perf_counter()
        took.append(after - before)
        before = after
    return took
