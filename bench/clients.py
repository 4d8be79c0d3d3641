"""Client processes, each with a Django and a connection of its own, that place bets when they are told to."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from time import perf_counter, process_time
from types import TracebackType
from typing import Self

from bench.game import CONDITIONS, PRICE, SIGNS

STOP = None
WARM_UP = 20  # bets


@dataclass(frozen=True, slots=True)
class Burst:
    """What one client did, in seconds: how long each bet took, all of them together, and how long it had a core."""

    took: list[float]
    seconds: float
    on_core: float

    @property
    def pace(self) -> float:
        """Bets a second."""
        return len(self.took) / self.seconds


@dataclass(frozen=True, slots=True)
class Order:
    """When a client is to end: after so long, or after so many bets."""

    seconds: float = inf
    bets: float = inf


class Clients:
    """Processes and not threads: with threads one Python would share one core among all clients."""

    def __init__(self, count: int, pool_code: str, player_ids: list[int]) -> None:
        context = get_context("spawn")
        self._ends: list[Connection] = []
        self._processes = []
        for number in range(count):
            here, there = context.Pipe()
            own = player_ids[number::count]
            self._processes.append(context.Process(target=_serve, args=(there, pool_code, own), daemon=True))
            self._ends.append(here)

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        for end in self._ends:
            end.recv()  # set up and warm
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in self._ends:
            end.send(STOP)
        for process in self._processes:
            process.join()

    def run(self, clients: int, seconds: float) -> list[Burst]:
        """Have the first `clients` of them place bets for so long, all at once."""
        return self._order(clients, Order(seconds=seconds))

    def place(self, bets: int) -> None:
        """Have one client place so many bets."""
        self._order(1, Order(bets=bets))

    def _order(self, clients: int, order: Order) -> list[Burst]:
        busy = self._ends[:clients]
        for end in busy:
            end.send(order)
        return [end.recv() for end in busy]


def _serve(parent: Connection, pool_code: str, player_ids: list[int]) -> None:
    """Run in the client's process until told to stop."""
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

    for _ in range(WARM_UP):
        bet()
    parent.send("ready")
    while (order := parent.recv()) is not STOP:
        parent.send(_burst(bet, order))


def _burst(bet: Callable[[], None], order: Order) -> Burst:
    took: list[float] = []
    on_core = process_time()
    started = before = perf_counter()
    while before - started < order.seconds and len(took) < order.bets:
        bet()
        after = perf_counter()
        took.append(after - before)
        before = after
    return Burst(took, before - started, process_time() - on_core)
