"""Accepting bets: paid and registered in one transaction, or neither (¶9.11-9.14, ¶25-28).

A bet goes to the database three times: to hold its pool and ask how things stand, to write all that it is, to commit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from pools.locks import hold_for_bet
from pools.models import Bet, Pool
from pools.queries.announced import announced_pool
from pools.queries.before_bet import Facts, facts_of_bets
from pools.services.attempts import Attempt, NewBet, Request, attempt_by, bettor_of
from pools.services.counting_bets import counted, counted_together
from pools.services.gates import refuse_bet
from pools.services.players import person_behind
from pools.services.registering import KeyTaken, register_bets
from pools.services.sources import BetSource
from pools.services.tickets import check_code, check_hash, new_ticket, printed_code
from pools.services.together import place_together
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import digest_of_key, fingerprint_of, recall_or_reserve, refuse_other_request
from totalizator.core.prepared import sent_together
from totalizator.core.transactions import one_transaction
from totalizator.engine.coupon import Coupon, check_stake, read_selections
from totalizator.engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class PlacedBet:
    """The answer to an accepted bet. `replayed`: the same request had been accepted before."""

    bet: Bet
    check_code: str
    replayed: bool


@counted
def place_bet(*, pool_code: str, selections: str, stake: int, source: BetSource, idempotency_key: str) -> PlacedBet:
    """Accept one bet: debit, register and journal it, by the database's clock.

    `selections` as in bets.csv: `1;X;1+2`. `stake` is the whole bet's, in kopecks; it must be the exact price where
    the pool has one.

    :raises DomainError: NOT_FOUND, BAD_SELECTION, BAD_STAKE, TOO_MANY_LINES, NOT_OPEN_YET, POOL_CLOSED,
        INSUFFICIENT_FUNDS, KEY_REUSED, BUSY, or what a gate refuses (`gates.py`); in each case nothing was registered
        or debited (¶9.13).
    """
    pool = announced_pool(pool_code)
    request = read_request(pool, selections, stake, source, idempotency_key)
    bet = place_together(pool, source, person_behind(source), request)
    if bet is not None:
        return PlacedBet(bet, request.check_code, replayed=False)
    try:
        return _place(pool, source, request)
    except KeyTaken:
        return _place(pool, source, request)  # the first request has been committed: this time it is found


def _place(pool: Pool, source: BetSource, request: Request) -> PlacedBet:
    with one_transaction():
        attempt, facts = attempt_of(pool, source, [request])
        if facts.first_ticket is not None and facts.first_fingerprint is not None:
            refuse_other_request(facts.first_fingerprint, request.new.fingerprint)
            return _placed_before(pool, source, request, facts.first_ticket)
        try:
            refuse_bet(attempt)
        except DomainError:
            # Another click may be at it, and let in: its ticket is the answer to both (C38).
            first_ticket = _wait_for_rival(source, request, facts)
            if first_ticket is None:
                raise
            return _placed_before(pool, source, request, first_ticket)
        (bet,) = register_bets(attempt, [request.new])
    return PlacedBet(bet, request.check_code, replayed=False)


@counted_together
def place_new(pool: Pool, source: BetSource, requests: Sequence[Request]) -> list[PlacedBet]:
    """Accept bets of one source and person as one: all of them, or none.

    :raises KeyTaken: when one of the requests was made before.
    :raises DomainError: what is refused to one of them, or to all together.
    """
    with one_transaction():
        attempt, facts = attempt_of(pool, source, requests)
        if facts.first_ticket is not None:
            raise KeyTaken
        refuse_bet(attempt)
        bets = register_bets(attempt, [request.new for request in requests])
    return [PlacedBet(bet, request.check_code, replayed=False) for bet, request in zip(bets, requests, strict=True)]


def attempt_of(pool: Pool, source: BetSource, requests: Sequence[Request]) -> tuple[Attempt, Facts]:
    """Hold the pool and the person, and return how things stand for the requests; the key asked for is the first's.

    :raises DomainError: NOT_ALLOWED for staff.
    """
    person = person_behind(source)
    bettor = bettor_of(source, person, requests[0])
    with sent_together():
        hold_for_bet(pool.pk, bettor.person_id)
        told = facts_of_bets(
            pool_id=pool.pk,
            channel=str(source.channel),
            point_id=source.till.point_id if source.till is not None else None,
            rules_version=pool.terms.rules_version,
            bettors=[bettor],
        )
    (facts,) = told
    return attempt_by(pool, source, person, requests, facts), facts


def foreseen_refusal(
    *, pool_code: str, selections: str, stake: int, source: BetSource, idempotency_key: str
) -> DomainError | None:
    """Return what `place_bet` would refuse the same request with by now, so that a page says it before; None: nothing.

    The same gates judge it under the same locks; nothing is written. Money is not looked at.
    """
    pool = announced_pool(pool_code)
    try:
        request = read_request(pool, selections, stake, source, idempotency_key)
        with one_transaction():
            attempt, _facts = attempt_of(pool, source, [request])
            refuse_bet(attempt)
    except DomainError as refusal:
        return refusal
    return None


def placed_before(*, pool_code: str, selections: str, stake: int, source: BetSource, idempotency_key: str) -> PlacedBet:
    """Return the bet that the same request to `place_bet` led to, to print it; nothing is ever bought.

    :raises DomainError: NOT_FOUND when it led to none; what `place_bet` refuses.
    """
    with one_transaction():
        placed = place_bet(
            pool_code=pool_code, selections=selections, stake=stake, source=source, idempotency_key=idempotency_key
        )
        if not placed.replayed:
            raise DomainError(Refusal.NOT_FOUND, _("Nothing was bought with this form: there is no ticket to print."))
    return placed


def read_request(pool: Pool, selections: str, stake: int, source: BetSource, idempotency_key: str) -> Request:
    """Return what is asked for, with the number that its ticket would get.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES, BAD_STAKE, BAD_VALUE for a key that is none.
    """
    coupon = read_coupon(pool, selections, stake)
    ticket = new_ticket(pool.code)
    code = check_code(ticket, scope=source.scope, idempotency_key=idempotency_key)
    new = NewBet(
        ticket=ticket,
        coupon=coupon,
        stake=stake,
        check_hash=check_hash(ticket, code),
        key_digest=digest_of_key(idempotency_key),
        fingerprint=fingerprint_of("place_bet", pool.code, coupon.selections, stake, source.account.pk),
    )
    return Request(idempotency_key, new, code)


def read_coupon(pool: Pool, selections: str, stake: int | None = None) -> Coupon:
    """Return the coupon that `selections` make in this pool, its stake checked when given.

    :raises DomainError: BAD_SELECTION, TOO_MANY_LINES, BAD_STAKE.
    """
    try:
        coupon = read_selections(pool.terms, selections)
        if stake is not None:
            check_stake(pool.terms, coupon, stake)
    except EngineError as fault:
        raise DomainError(Refusal(fault.code.lower()), str(fault), field=_field_of(fault)) from fault
    return coupon


def _field_of(fault: EngineError) -> str:
    return "stake" if fault.code == "BAD_STAKE" else "selections"


def _placed_before(pool: Pool, source: BetSource, request: Request, ticket: str) -> PlacedBet:
    bet = Bet.objects.get(pool=pool, ticket=ticket)
    code = printed_code(bet.ticket, bet.check_hash, scope=source.scope, idempotency_key=request.key)
    return PlacedBet(bet, code, replayed=True)


def _wait_for_rival(source: BetSource, request: Request, facts: Facts) -> str | None:
    """Return the ticket of a request with the same key that was under way, if it was let in."""
    return recall_or_reserve(
        scope=source.scope,
        key=request.key,
        fingerprint=request.new.fingerprint,
        answer=request.new.ticket,
        created_at=facts.now,
    )
