"""Selling the chosen bets, each by its way: at desks and terminals, from accounts and cards, by transfer, on paper."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from django.db import connection

from accounts.models import User
from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet, Way
from payouts.management.demo.doors import Door, HeldCard, Sold, sell
from pools.services.batches import WantedBet
from pools.services.sources import from_till

A_CALL = 100  # bets of a terminal in one call


@dataclass(frozen=True, slots=True)
class Slip:
    """A ticket in its holder's hands. `number` is the bet's, so that who comes to collect is no matter of luck."""

    number: int
    ticket: str
    check_code: str


@dataclass(slots=True)
class Counter:
    """Where the bets of one pool are sold; `paying` tells which of the sold cards pays which bet."""

    pool_code: str
    cast: Cast
    door: Door
    cards: Sequence[HeldCard]
    paying: Mapping[int, int]
    sold: Callable[[], None]
    slips: list[Slip] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _failed: bool = False

    def sell(self, bets: Iterable[ChosenBet], *, threads: int) -> list[Slip]:
        """Sell the bets, calling `sold` after each; return the slips of those that have any, by number.

        With one thread the caller's own transaction and connection are used.
        """
        calls = iter(calls_of(bets))
        if threads == 1:
            self._serve(calls)
        else:
            with ThreadPoolExecutor(threads) as desks:
                for desk in [desks.submit(self._serve_and_disconnect, calls) for _ in range(threads)]:
                    desk.result()
        return sorted(self.slips, key=lambda slip: slip.number)

    def note(self, bet: ChosenBet, sold: Sold) -> None:
        """Note a bet that was sold."""
        with self._lock:
            if bet.has_slip:
                self.slips.append(Slip(bet.number, sold.ticket, sold.check_code))
            self.sold()

    def _serve_and_disconnect(self, calls: Iterator[Sequence[ChosenBet]]) -> None:
        try:
            self._serve(calls)
        finally:
            connection.close()

    def _serve(self, calls: Iterator[Sequence[ChosenBet]]) -> None:
        """Make calls until there are none left, or another thread failed."""
        try:
            while (bets := self._next(calls)) is not None:
                for bet, sold in zip(bets, self._call(bets), strict=True):
                    self.note(bet, sold)
        except BaseException:
            self._failed = True
            raise

    def _next(self, calls: Iterator[Sequence[ChosenBet]]) -> Sequence[ChosenBet] | None:
        with self._lock:
            return None if self._failed else next(calls, None)

    def _call(self, bets: Sequence[ChosenBet]) -> Sequence[Sold]:
        first, pool, cast = bets[0], self.pool_code, self.cast
        wanted = [WantedBet(bet.selections, bet.stake, f"demo:{pool}:{bet.number}") for bet in bets]
        match first.way:
            case Way.TERMINAL:
                return self.door.by_terminal(cast.terminals[first.chance % len(cast.terminals)], pool, wanted)
            case Way.CARD:
                card = self.cards[self.paying[first.number]]
                return [self.door.by_card(card, player_of(first, cast), pool, wanted[0])]
            case Way.ACCOUNT:
                return [self.door.by_player(player_of(first, cast), pool, wanted[0])]
            case _:
                cashiers = cast.cashiers_of(agent=first.way == Way.AGENT)
                return [sell(pool, wanted[0], lambda: from_till(cashiers[first.chance % len(cashiers)]))]


def player_of(bet: ChosenBet, cast: Cast) -> User:
    """Return whose account pays for the bet, or who holds the card."""
    return cast.accounts[bet.chance % len(cast.accounts)].player


def calls_of(bets: Iterable[ChosenBet]) -> Iterator[Sequence[ChosenBet]]:
    """Yield the bets as they are asked for: a terminal's many in a call, the others one by one."""
    waiting: list[ChosenBet] = []
    for bet in bets:
        if bet.way != Way.TERMINAL:
            yield [bet]
            continue
        waiting.append(bet)
        if len(waiting) == A_CALL:
            yield waiting
            waiting = []
    if waiting:
        yield waiting
