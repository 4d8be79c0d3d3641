"""A bet that somebody wants to make, with all that the database knew of it at its instant."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Person
from accounts.queries.standing import Standing
from pools.models import Pool
from pools.queries.before_bet import Bettor, Facts
from pools.services.sources import BetSource
from totalizator.engine.coupon import Coupon


@dataclass(frozen=True, slots=True)
class NewBet:
    """A bet that may be registered; `stake` in kopecks."""

    ticket: str
    coupon: Coupon
    stake: int
    check_hash: bytes
    key_digest: bytes
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """A bet that is asked for, read and priced: the raw idempotency key and the check code are kept nowhere (ADR 4)."""

    key: str
    new: NewBet
    check_code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What the gates judge. It was read under the locks of a bet, so it holds until the transaction ends.

    Several bets of one call that have one source and one person are one attempt.
    """

    pool: Pool
    state: str
    """Of the pool, now."""
    source: BetSource
    person: Person | None
    """Who plays, where that is known."""
    stake: int
    """Of all its bets together, in kopecks."""
    largest: int
    """The largest stake of one bet, in kopecks."""
    now: datetime
    paused_since: datetime | None
    standing: Standing | None
    """Of the person."""


def bettor_of(source: BetSource, person: Person | None, request: Request) -> Bettor:
    """Return of whom it is asked how things stand for a request."""
    return Bettor(person.pk if person is not None else None, source.account.pk, source.scope, request.new.key_digest)


def attempt_by(
    pool: Pool, source: BetSource, person: Person | None, requests: Sequence[Request], facts: Facts
) -> Attempt:
    """Return what the gates judge."""
    stakes = [request.new.stake for request in requests]
    return Attempt(
        pool=pool,
        state=facts.state,
        source=source,
        person=person,
        stake=sum(stakes),
        largest=max(stakes),
        now=facts.now,
        paused_since=facts.paused_since,
        standing=facts.standing,
    )
