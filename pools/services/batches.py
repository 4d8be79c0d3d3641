"""Many bets in one call: each accepted or refused by itself, with a key of its own (docs/api.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError
from totalizator.core.transactions import one_transaction

MOST_BETS = 500
AT_ONCE = 25
"""How many bets share a commit: the pool's closing, and others' bets from the same account, wait for no more."""


@dataclass(frozen=True, slots=True)
class WantedBet:
    """One bet of a batch; `stake` in kopecks."""

    selections: str
    stake: int
    idempotency_key: str


def place_bets(*, pool_code: str, wanted: Sequence[WantedBet], source: BetSource) -> list[PlacedBet | DomainError]:
    """Place each of the bets or say why not, in their order. Each is what `place_bet` alone would make of it.

    Those that share a commit are kept or lost together when the process dies; the same call again then gives every
    bet that was kept its first answer, and places the others.
    """
    answers: list[PlacedBet | DomainError] = []
    waiting = iter(wanted)
    while some := list(islice(waiting, AT_ONCE)):
        with one_transaction():
            answers += [_placed(pool_code, bet, source) for bet in some]
    return answers


def _placed(pool_code: str, bet: WantedBet, source: BetSource) -> PlacedBet | DomainError:
    """Place one bet in a savepoint of its own: a refusal undoes it and nothing else."""
    try:
        return place_bet(
            pool_code=pool_code,
            selections=bet.selections,
            stake=bet.stake,
            source=source,
            idempotency_key=bet.idempotency_key,
        )
    except DomainError as refusal:
        return refusal
