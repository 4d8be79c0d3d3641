"""Money onto a game account: cash at a till, a prepaid card, a transfer, a payment system (¶35, F1, F4).

Every way in ends in `credit`. What is not there yet is not on the account: nobody bets money that has not come.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.balances import balance
from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.models import HOUSE_BOOK
from accounts.ledger.posting import DuplicateTransfer, Movement, ledger_account, post
from accounts.locks import hold_play_of
from accounts.models import (
    Currency,
    CurrencyRate,
    Entry,
    FiscalKind,
    GameAccount,
    LedgerAccount,
    PaymentInstrument,
    PrepaidCard,
    Role,
    Terminal,
    Till,
    TopUp,
    TopUpWay,
    User,
)
from accounts.services.card_presenting import hold_card, present_card
from accounts.services.desks import refuse_to_sell
from accounts.services.fiscal import queue_fiscal
from accounts.services.identified_operations import identified_owner, refuse_unidentified
from accounts.services.limits import refuse_deposit_over_limits
from accounts.services.persons import person_of
from accounts.services.staff import refuse_all_but_staff
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction


@dataclass(frozen=True, slots=True)
class Paid:
    """What was paid, as it was paid: `original_amount` in minor units of the currency, `kopecks` what it is worth."""

    kopecks: int
    currency: Currency
    original_amount: int
    rate: CurrencyRate | None = None
    instrument: PaymentInstrument | None = None
    till: Till | None = None

    @classmethod
    def in_byn(cls, kopecks: int, *, till: Till | None = None) -> "Paid":
        """Return a payment in BYN.

        :raises DomainError: BAD_VALUE when the amount is not above zero.
        """
        if kopecks <= 0:
            raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
        return cls(kopecks, Currency.BYN, kopecks, till=till)


def top_up_in_cash(
    *, account: GameAccount, amount: int, cashier: User, idempotency_key: str, terminal: Terminal | None = None
) -> TopUp:
    """Take `amount` kopecks in cash at the cashier's till onto the account (¶35.1), `terminal` asking for the cashier.

    :raises DomainError: NOT_ALLOWED for who is no cashier at a till; BAD_VALUE; IDENTITY_NEEDED; what `refuse_to_sell`
        and `credit` refuse; KEY_REUSED.
    """
    till = Till.objects.select_related("ledger_account").filter(cashier=cashier).first()
    if cashier.role != Role.CASHIER or till is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a cashier at a till can take cash."))
    paid = Paid.in_byn(amount, till=till)
    with one_transaction():
        at = clock.now()
        reference = _once(f"till:{till.pk}", idempotency_key, "top_up_in_cash", account, amount, at=at)
        standing = TopUp.objects.filter(way=TopUpWay.CASH, reference=reference).first()
        if standing is not None:
            return standing
        hold_play_of(person_of(account.player))  # before the till, as a bet does (docs/locking.md)
        refuse_unidentified(amount=amount, person=identified_owner(account), at=at)
        refuse_to_sell(till=till, cash=amount, now=at, terminal=terminal)
        top_up = credit(
            account=account,
            paid_from=till.ledger_account,
            paid=paid,
            way=TopUpWay.CASH,
            reference=reference,
            received_at=at,
            actor=cashier.actor,
            terminal=terminal,
        )
        queue_fiscal(till=till, kind=FiscalKind.SALE, subject=f"top_up:{top_up.pk}", amount=amount, at=at)
    return top_up


def top_up_by_card(
    *,
    player: User,
    series: str,
    number: str,
    code: str,
    idempotency_key: str,
    amount: int | None = None,
    subjects: Collection[str] = (),
) -> TopUp:
    """Move money from a prepaid card onto the player's account: `amount` kopecks, or all that is left on it (¶35.2).

    `subjects` are further ones for the throttle. Call it outside any transaction.

    :raises DomainError: CARD_REFUSED, one answer to every card that does not pay; THROTTLED; INSUFFICIENT_FUNDS of the
        card; BAD_VALUE; what `credit` refuses; KEY_REUSED.
    """
    account = _account_of(player)
    card = present_card(
        series=series,
        number=number,
        code=code,
        subjects=[player.actor, *subjects],
        actor=player.actor,
        was_used=lambda card: _moved_before(player, idempotency_key, card),
    )
    assert card.ledger_account is not None, "a sold card has an account"
    with one_transaction():
        at = clock.now()
        reference = _once(player.actor, idempotency_key, "top_up_by_card", account, card.pk, amount, at=at)
        standing = TopUp.objects.filter(way=TopUpWay.CARD, reference=reference).first()
        if standing is not None:
            return standing
        hold_play_of(person_of(player))  # before the card, as a bet does (docs/locking.md)
        held = hold_card(card, at)
        return credit(
            account=account,
            paid_from=card.ledger_account,
            paid=Paid.in_byn(balance(card.ledger_account) if amount is None else amount),
            way=TopUpWay.CARD,
            reference=reference,
            received_at=at,
            actor=player.actor,
            note=f"card:{held.number}",
        )


def credit_transfer(
    *, account: GameAccount, amount: int, reference: str, method: TopUpWay, received_at: datetime, by: User
) -> TopUp:
    """Credit `amount` kopecks that a bank or postal transfer brought, told by a document of the bank (¶35.5-35.6).

    What comes in a statement is placed by `accounts.services.receipts`. `reference` is the document's; the same one
    again returns what it was credited as, and credits nothing.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE; KEY_REUSED when the reference credited something else; what `credit`
        refuses: the money then has to go back to its payer.
    """
    refuse_all_but_staff(by)
    if method not in (TopUpWay.BANK_TRANSFER, TopUpWay.POSTAL_TRANSFER):
        raise DomainError(Refusal.BAD_VALUE, _("A transfer comes by bank or by post."), field="method")
    with one_transaction():
        return credit(
            account=account,
            paid_from=ledger_account(AccountKind.BANK),
            paid=Paid.in_byn(amount),
            way=method,
            reference=reference,
            received_at=received_at,
            actor=by.actor,
        )


def credit(
    *,
    account: GameAccount,
    paid_from: LedgerAccount,
    paid: Paid,
    way: TopUpWay,
    reference: str,
    received_at: datetime,
    actor: str,
    note: str = "",
    terminal: Terminal | None = None,
) -> TopUp:
    """Credit a payment, once for each reference, inside the caller's transaction.

    The player is held, so that no two payments pass one limit together, and the second of two like calls finds what
    the first one credited.

    :raises DomainError: BAD_VALUE for what is worth nothing; ACCOUNT_BLOCKED, MAY_NOT_PLAY, REGISTER_STALE,
        LIMIT_REACHED (P1, P2); KEY_REUSED when the reference credited something else; INSUFFICIENT_FUNDS of a card.
    """
    if paid.kopecks <= 0:  # of another currency, by a rate that has fallen since the payment was begun
        raise DomainError(Refusal.BAD_VALUE, _("The amount must be above zero."), field="amount")
    at, refusal = clock.now(), None
    try:
        refuse_deposit_over_limits(player=account.player, amount=paid.kopecks, at=at)
    except DomainError as refused:
        refusal = refused
    # The player is held from here on: what was credited before is seen, and needs no limit.
    standing = TopUp.objects.filter(way=way, reference=reference).first()
    if standing is not None:
        return _same(standing, account, paid)
    if refusal is not None:
        raise refusal
    top_up = TopUp(
        account=account,
        way=way,
        reference=reference,
        amount=paid.kopecks,
        currency=paid.currency,
        original_amount=paid.original_amount,
        rate=paid.rate,
        till=paid.till,
        instrument=paid.instrument,
        received_at=received_at,
        credited_at=at,
        credited_by=actor,
    )
    try:
        post(
            key=top_up.transfer_key,
            kind=TransferKind.DEPOSIT,
            occurred_at=at,
            cause=note or f"game_account:{account.pk}",
            movements=[Movement(paid_from, account.ledger_account, paid.kopecks)],
        )
    except DuplicateTransfer as fault:  # at this very moment, onto another account
        raise _reused() from fault
    top_up.save(force_insert=True)
    write_journal(
        at=at,
        actor=actor,
        act="top_up",
        subject=f"game_account:{account.pk}",
        after={
            "way": str(way),
            "reference": reference,
            "amount": paid.kopecks,
            "paid": f"{paid.original_amount} {paid.currency}",
            **({"terminal": terminal.actor} if terminal is not None else {}),
        },
    )
    return top_up


def _same(standing: TopUp, account: GameAccount, paid: Paid) -> TopUp:
    """Return what the reference credited before, if it is the same payment."""
    told = (account.pk, paid.currency, paid.original_amount)
    if (standing.account_id, standing.currency, standing.original_amount) != told:
        raise _reused()
    return standing


def _reused() -> DomainError:
    return DomainError(Refusal.KEY_REUSED, _("This reference was already used for another payment."), field="reference")


def _account_of(player: User) -> GameAccount:
    account = GameAccount.objects.select_related("ledger_account", "player").filter(player=player).first()
    if player.role != Role.PLAYER or account is None:
        raise DomainError(Refusal.NOT_ALLOWED, _("Only a player with a game account can do this."))
    return account


def _moved_before(player: User, key: str, card: PrepaidCard) -> bool:
    """Tell whether the request with this key has moved money from this card: from another one it is a new try (C61)."""
    reference = _reference(player.actor, key, "top_up_by_card")
    top_up = TopUp.objects.filter(way=TopUpWay.CARD, reference=reference).first()
    if top_up is None:
        return False
    return Entry.objects.filter(book=HOUSE_BOOK, key=top_up.transfer_key, debit=card.ledger_account_id).exists()


def _once(scope: str, key: str, act: str, account: GameAccount, *parts: object, at: datetime) -> str:
    """Return the reference that this request has, the first time and every time it is repeated."""
    reference = _reference(scope, key, act)
    fingerprint = fingerprint_of(act, account.pk, *parts)
    recall_or_reserve(scope=scope, key=key, fingerprint=fingerprint, answer=reference, created_at=at)
    return reference


def _reference(scope: str, key: str, act: str) -> str:
    return f"{scope}:{fingerprint_of(act, scope, key).hex()[:32]}"
