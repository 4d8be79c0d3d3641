"""Accepting a bet: paid and registered in one transaction, or neither (¶9.11-9.14, ¶25-28)."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import FiscalKind, LedgerAccount
from accounts.services.fiscal import queue_fiscal
from pools.locks import hold_pool_shared
from pools.models import Bet, Pool, PoolState
from pools.queries.announced import announced_pool
from pools.services.caps import refuse_over_caps
from pools.services.gates import refuse_bet
from pools.services.sources import BetSource
from pools.services.tickets import check_code, check_hash, new_ticket
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.plain_insert import insert_plainly
from totalizator.core.transactions import one_transaction
from totalizator.engine.coupon import Coupon, check_stake, read_selections
from totalizator.engine.errors import EngineError


@dataclass(frozen=True, slots=True)
class PlacedBet:
    """The answer to an accepted bet. `replayed`: the same request had been accepted before."""

    bet: Bet
    check_code: str
    replayed: bool


def place_bet(*, pool_code: str, selections: str, stake: int, source: BetSource, idempotency_key: str) -> PlacedBet:
    """Accept one bet: debit, register and journal it, by the database's clock.

    `selections` as in bets.csv: `1;X;1+2`. `stake` is the whole bet's, in kopecks; it must be the exact price where
    the pool has one.

    :raises DomainError: NOT_FOUND, BAD_SELECTION, BAD_STAKE, TOO_MANY_LINES, NOT_OPEN_YET, POOL_CLOSED,
        INSUFFICIENT_FUNDS, KEY_REUSED, BUSY, or what a gate refuses (`gates.py`); in each case nothing was registered
        or debited (¶9.13).
    """
    pool = announced_pool(pool_code)
    coupon = read_coupon(pool, selections, stake)
    fingerprint = fingerprint_of("place_bet", pool.code, coupon.selections, stake, source.account.pk)
    ticket = new_ticket(pool.code)
    with one_transaction():
        pool.state, now = hold_pool_shared(pool.pk)
        first_ticket = recall_or_reserve(
            scope=source.scope, key=idempotency_key, fingerprint=fingerprint, answer=ticket, created_at=now
        )
        if first_ticket is not None:
            bet = Bet.objects.get(pool=pool, ticket=first_ticket)
            return PlacedBet(bet, _code(bet.ticket, source, idempotency_key), replayed=True)
        _refuse_out_of_time(pool, now)
        refuse_bet(pool, source, stake, now)
        code = _code(ticket, source, idempotency_key)
        bet = _register(pool, ticket, coupon, stake, source, now, check_hash(ticket, code))
    return PlacedBet(bet, code, replayed=False)


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


def _code(ticket: str, source: BetSource, idempotency_key: str) -> str:
    return check_code(ticket, scope=source.scope, idempotency_key=idempotency_key)


def _refuse_out_of_time(pool: Pool, now: datetime) -> None:
    """Opening and closing go by the clock; a state only ever ends sales earlier (D-11, G1)."""
    if pool.state == PoolState.DRAFT or now < pool.opens_at:
        raise DomainError(Refusal.NOT_OPEN_YET, _("The pool does not take bets yet."), field="pool")
    if pool.state not in (PoolState.ANNOUNCED, PoolState.OPEN) or now >= pool.closes_at:
        raise DomainError(Refusal.POOL_CLOSED, _("The pool is closed: bets are no longer taken."), field="pool")


@lru_cache(maxsize=256)
def _pot(_pool_id: int, pool_code: str) -> LedgerAccount:
    """The pool's pot, opened at announcement; nothing of its row ever changes, so it can be kept."""
    return ledger_account(AccountKind.POOL_POT, pool_code)


def _register(
    pool: Pool, ticket: str, coupon: Coupon, stake: int, source: BetSource, now: datetime, code_hash: bytes
) -> Bet:
    post(
        book=pool.pk,
        key=f"stake:{ticket}",
        kind=TransferKind.STAKE,
        occurred_at=now,
        cause=f"bet:{ticket}",
        movements=[Movement(source.account, _pot(pool.pk, pool.code), stake)],
    )
    refuse_over_caps(pool, source, stake, now)
    bet = Bet(
        pool=pool,
        ticket=ticket,
        bits=coupon.bits,
        lines=coupon.lines,
        stake=stake,
        registered_at=now,
        channel=source.channel,
        paid_from=source.account,
        player=source.player,
        person=source.person if source.player is None else None,
        till=source.till,
        sold_by=source.sold_by,
        terms_digest=pool.terms_digest,
        rules_version=pool.terms.rules_version,
        salt=secrets.token_bytes(16),
        check_hash=code_hash,
    )
    insert_plainly(bet)
    write_journal(
        at=now,
        actor=source.actor,
        act="place_bet",
        subject=f"bet:{ticket}",
        after={"lines": coupon.lines, "stake": stake, "channel": source.channel, **source.desk},
    )
    if source.takes_cash and source.till is not None:
        queue_fiscal(till=source.till, kind=FiscalKind.SALE, subject=f"bet:{ticket}", amount=stake, at=now)
    return bet
