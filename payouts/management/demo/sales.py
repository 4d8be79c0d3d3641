"""Selling the chosen bets, as the desks and the site do: through `place_bet`, several at a time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from django.db import connection

from payouts.management.demo.cast import Cast
from payouts.management.demo.choosing import ChosenBet
from pools.services.betting import place_bet
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError, Refusal

TRIES = 20


@dataclass(frozen=True, slots=True)
class Slip:
    """A cash ticket in its holder's hands. `number` is the bet's, so that who comes to collect is no matter of luck."""

    number: int
    ticket: str
    check_code: str


def payer_of(bet: ChosenBet, cast: Cast) -> BetSource:
    """Return the till that sells the bet, or the game account that pays for it."""
    sources = cast.at_tills if bet.in_cash else cast.from_accounts
    return sources[bet.chance % len(sources)]


def sell(
    pool_code: str, bets: Iterator[ChosenBet], cast: Cast, *, threads: int, sold: Callable[[], None]
) -> list[Slip]:
    """Sell `bets`, calling `sold` after each; return the slips of those paid in cash, by number.

    With one thread the caller's own transaction and connection are used.
    """
    counter = _Counter(pool_code, bets, cast, sold)
    if threads == 1:
        counter.serve()
    else:
        with ThreadPoolExecutor(threads) as desks:
            for desk in [desks.submit(counter.serve_and_disconnect) for _ in range(threads)]:
                desk.result()
    return sorted(counter.slips, key=lambda slip: slip.number)


class _Counter:
    """Where the threads take the next bet and leave the slips."""

    def __init__(self, pool_code: str, bets: Iterator[ChosenBet], cast: Cast, sold: Callable[[], None]) -> None:
        self._pool_code = pool_code
        self._bets = bets
        self._cast = cast
        self._sold = sold
        self._lock = Lock()
        self._failed = False
        self.slips: list[Slip] = []

    def serve_and_disconnect(self) -> None:
        try:
            self.serve()
        finally:
            connection.close()

    def serve(self) -> None:
        """Sell bets until there are none left, or another thread failed."""
        try:
            while (bet := self._next()) is not None:
                slip = self._sell(bet)
                with self._lock:
                    if bet.in_cash:
                        self.slips.append(slip)
                    self._sold()
        except BaseException:
            self._failed = True
            raise

    def _next(self) -> ChosenBet | None:
        with self._lock:
            return None if self._failed else next(self._bets, None)

    def _sell(self, bet: ChosenBet) -> Slip:
        """Place one bet; trying again with the same key is safe when the system was busy."""
        for remaining in reversed(range(TRIES)):
            try:
                placed = place_bet(
                    pool_code=self._pool_code,
                    selections=bet.selections,
                    stake=bet.stake,
                    source=payer_of(bet, self._cast),
                    idempotency_key=f"demo:{self._pool_code}:{bet.number}",
                )
            except DomainError as refusal:
                if refusal.code != Refusal.BUSY or not remaining:
                    raise
            else:
                return Slip(bet.number, placed.bet.ticket, placed.check_code)
        raise AssertionError("the last try either sells or raises")
