"""Many bets in one call: each accepted or refused by itself, with a key of its own (docs/api.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from accounts.models import Person
from pools.models import Pool
from pools.queries.announced import announced_pool
from pools.services.attempts import Request
from pools.services.betting import PlacedBet, place_bet, place_new, read_request
from pools.services.registering import KeyTaken
from pools.services.sources import BetSource
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.transactions import one_transaction

MOST_BETS = 500
AT_ONCE = 100
"""How many bets share a commit: the pool's closing, and others' bets from the same account, wait for no more."""


@dataclass(frozen=True, slots=True)
class WantedBet:
    """One bet of a batch; `stake` in kopecks. `person` is who showed a document at the desk for this bet (X15, Q1)."""

    selections: str
    stake: int
    idempotency_key: str
    person: Person | None = None


Answer = PlacedBet | DomainError


def place_bets(*, pool_code: str, wanted: Sequence[WantedBet], source: BetSource) -> list[Answer]:
    """Place each of the bets or say why not, in their order. Each is what `place_bet` alone would make of it.

    Those that share a commit are kept or lost together when the process dies; the same call again then gives every
    bet that was kept its first answer, and places the others. With persons every bet has a commit of its own: nobody's
    play is held while another's is waited for (docs/locking.md).

    :raises DomainError: NOT_FOUND for a pool that there is not.
    """
    pool = announced_pool(pool_code)
    if any(bet.person is not None for bet in wanted):
        return [_placed(pool, bet, source) for bet in wanted]
    answers: list[Answer] = []
    waiting = iter(wanted)
    while some := list(islice(waiting, AT_ONCE)):
        answers += _placed_together(pool, some, source)
    return answers


def _placed_together(pool: Pool, some: Sequence[WantedBet], source: BetSource) -> list[Answer]:
    """Place the bets as one where nothing stands against any of them; else each by itself, to see against which."""
    read = [_read(pool, bet, source) for bet in some]
    right = [request for request in read if isinstance(request, Request)]
    if right and len({request.key for request in right}) == len(right):
        try:
            placed = iter(place_new(pool, source, right))
        except KeyTaken:
            pass
        except DomainError as refusal:
            if refusal.code is Refusal.BUSY:
                return [refusal] * len(some)
        else:
            return [next(placed) if isinstance(request, Request) else request for request in read]
    with one_transaction():
        return [_placed(pool, bet, source) for bet in some]


def _read(pool: Pool, bet: WantedBet, source: BetSource) -> Request | DomainError:
    try:
        return read_request(pool, bet.selections, bet.stake, source, bet.idempotency_key)
    except DomainError as refusal:
        return refusal


def _placed(pool: Pool, bet: WantedBet, source: BetSource) -> Answer:
    """Place one bet in a transaction, or a savepoint, of its own: a refusal undoes it and nothing else."""
    try:
        return place_bet(
            pool_code=pool.code,
            selections=bet.selections,
            stake=bet.stake,
            source=source if bet.person is None else replace(source, person=bet.person),
            idempotency_key=bet.idempotency_key,
        )
    except DomainError as refusal:
        return refusal
