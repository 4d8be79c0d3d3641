"""Ordering a bet that is to be paid by transfer: on the organizer's form, with a reference for the payment (¶9.8)."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.models import Person
from accounts.services.bank_addresses import spelled_iban
from accounts.services.post import post_in_force, spelled_address
from accounts.services.staff import written
from accounts.services.transfer_references import DIGITS, ReferenceKind, TransferReference
from pools.locks import find_pool, hold_pool_shared
from pools.models import BetOrder, Pool, PoolState
from pools.services.betting import read_coupon
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


@dataclass(frozen=True, slots=True)
class Payer:
    """Who will pay, and get back what is won or refused: the name and the account as the bank knows them.

    Who pays by post has no account and tells an address, to which the post brings the money back (¶41).
    """

    name: str
    account: str = ""
    address: str = ""
    person: Person | None = None


def make_bet_order(
    *, pool_code: str, selections: str, stake: int, payer: Payer, consent: bool, actor: str, idempotency_key: str
) -> BetOrder:
    """Note what a payer wants to bet; it becomes a bet when the stake has come in full before the pool closes.

    `consent`: the payer agreed to the rules of this pool (¶9.9). A payer without `person`, whom nobody knows, is to be
    checked by who takes the form (`accounts.services.desk_checks`).

    :raises DomainError: NOT_FOUND, BAD_SELECTION, BAD_STAKE, TOO_MANY_LINES, POOL_CLOSED, CONSENT_NEEDED, KEY_REUSED;
        BAD_VALUE for a payer without name, or without either a bank account or an address; NO_AGREEMENT for an address
        when nothing goes by post.
    """
    pool = find_pool(pool_code)
    coupon = read_coupon(pool, selections, stake)
    name = written(payer.name, field="payer_name", most=140)
    account, address = _way_back(payer)
    if not consent:
        raise DomainError(Refusal.CONSENT_NEEDED, _("The payer has to agree to the rules of this pool (¶9.9)."))
    fingerprint = fingerprint_of("make_bet_order", pool.code, coupon.selections, stake, name, account, address)
    with one_transaction():
        state, now = hold_pool_shared(pool.pk)
        number = _next_number()
        first = recall_or_reserve(
            scope=actor, key=idempotency_key, fingerprint=fingerprint, answer=str(number), created_at=now
        )
        if first is not None:
            return BetOrder.objects.get(pk=int(first))
        _refuse_closed(pool, state, now)
        order = BetOrder.objects.create(
            pk=number,
            pool=pool,
            selections=coupon.selections,
            stake=stake,
            person=payer.person,
            payer_name=name,
            payer_account=account,
            payer_address=address,
            rules_version=pool.terms.rules_version,
            made_at=now,
            made_by=actor,
        )
        write_journal(
            at=now,
            actor=actor,
            act="make_bet_order",
            subject=f"bet_order:{order.pk}",
            after={"pool": pool.code, "stake": stake, "lines": coupon.lines},
        )
    return order


def reference_of(order: BetOrder) -> TransferReference:
    """Return what the payer has to write into the transfer."""
    return TransferReference(ReferenceKind.BET_ORDER, order.pk)


def _way_back(payer: Payer) -> tuple[str, str]:
    """Return the payer's account, or else the address: one of them is empty."""
    if not payer.address.strip():
        return spelled_iban(payer.account, field="payer_account"), ""
    if payer.account.strip():
        raise DomainError(
            Refusal.BAD_VALUE, _("Who pays from an account needs no address (¶41)."), field="payer_address"
        )
    post_in_force(clock.now())
    return "", spelled_address(payer.address, field="payer_address")


def _refuse_closed(pool: Pool, state: str, now: datetime) -> None:
    """An order may be made before sales begin, not after they end."""
    if state == PoolState.DRAFT:
        raise DomainError(Refusal.NOT_OPEN_YET, _("The pool does not take bets yet."), field="pool")
    if state not in (PoolState.ANNOUNCED, PoolState.OPEN) or now >= pool.closes_at:
        raise DomainError(Refusal.POOL_CLOSED, _("The pool is closed: bets are no longer taken."), field="pool")


def _next_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('pools_betorder', 'id'))")
        (number,) = cursor.fetchone()
    assert number < 10**DIGITS, "the references have run out of digits"
    return int(number)
