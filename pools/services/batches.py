"""Many bets in one call: each accepted or refused by itself, with a key of its own (docs/api.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from accounts.models import Person
from pools.services.betting import PlacedBet, place_bet
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError
from totalizator.core.transactions import one_transaction

MOST_BETS = 500
AT_ONCE = 25
"""How many bets share a commit: the pool's closing, and others' bets from the same account, wait for no more."""


@dataclass(frozen=True, slots=True)
class WantedBet:
    """One bet of a batch; `stake` in kopecks. `person` is who showed a document at the desk for this bet (X15, Q1)."""

    selections: str
    stake: int
    idempotency_key: str
    person: Person | None = None


def place_bets(*, pool_code: str, wanted: Sequence[WantedBet], source: BetSource) -> list[PlacedBet | DomainError]:
    """Place each of the bets or say why not, in their order. Each is what `place_bet` alone would make of it.

    Those that share a commit are kept or lost together when the process dies; the same call again then gives every
    bet that was kept its first answer, and places the others. With persons every bet has a commit of its own: nobody's
    play is held while another's is waited for (docs/locking.md).
    """
    answers: list[PlacedBet | DomainError] = []
    waiting = iter(wanted)
    at_once = 1 if any(bet.person is not None for bet in wanted) else AT_ONCE
    while some := list(islice(waiting, at_once)):
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
            source=source if bet.person is None else replace(source, person=bet.person),
            idempotency_key=bet.idempotency_key,
        )
    except DomainError as refusal:
        return refusal
