"""How players' and terminals' bets come in: at the running site by HTTP, or through its services in this process."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from accounts.models import User
from accounts.services.terminals import NewKey, synchronise
from pools.services.batches import WantedBet, place_bets
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import BetSource, from_card, from_game_account, from_terminal
from totalizator.core.errors import DomainError, Refusal

TRIES = 20
WAIT_SECONDS = 0.05
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A prepaid card in its buyer's hands."""

    series: str
    number: str
    code: str


@dataclass(frozen=True, slots=True)
class Sold:
    """What whoever bets is told."""

    ticket: str
    check_code: str


class Door(Protocol):
    """Where bets come in. The same bet again is the same ticket."""

    def by_player(self, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet from the player's game account."""

    def by_card(self, card: HeldCard, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet by a prepaid card that the player holds."""

    def by_terminal(self, key: NewKey, pool: str, bets: Sequence[WantedBet]) -> list[Sold]:
        """Bet at a terminal, many in one call."""


class Services:
    """The services that the site's API calls."""

    def by_player(self, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet from the player's game account."""
        return sell(pool, bet, lambda: from_game_account(player))

    def by_card(self, card: HeldCard, player: User, pool: str, bet: WantedBet) -> Sold:
        """Bet by a prepaid card that the player holds."""
        return sell(
            pool, bet, lambda: from_card(series=card.series, number=card.number, code=card.code, asked_by=player)
        )

    def by_terminal(self, key: NewKey, pool: str, bets: Sequence[WantedBet]) -> list[Sold]:
        """Bet at a terminal, many in one call."""
        synchronise(terminal=key.terminal)

        def placed() -> list[Sold]:
            answers = place_bets(pool_code=pool, wanted=bets, source=from_terminal(key.terminal))
            return [_sold(answer) for answer in answers]

        return patiently(placed)


def sell(pool: str, bet: WantedBet, source: Callable[[], BetSource]) -> Sold:
    """Place one bet; trying again with the same key is safe when the system was busy."""
    return _sold(
        patiently(
            lambda: place_bet(
                pool_code=pool,
                selections=bet.selections,
                stake=bet.stake,
                source=source(),
                idempotency_key=bet.idempotency_key,
            )
        )
    )


def patiently(act: Callable[[], T]) -> T:
    """Do the act, again and again while the system is busy; :raises DomainError: any other refusal."""
    for remaining in reversed(range(TRIES)):
        try:
            return act()
        except DomainError as refusal:
            if refusal.code != Refusal.BUSY or not remaining:
                raise
            time.sleep(WAIT_SECONDS)
    raise AssertionError("the last try either does it or raises")


def _sold(answer: PlacedBet | DomainError) -> Sold:
    if isinstance(answer, DomainError):
        raise answer
    return Sold(answer.bet.ticket, answer.check_code)
