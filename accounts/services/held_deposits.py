"""What a payment system has taken and may not be credited is in the books, and owed to its payer (F1, ¶41)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import (
    Currency,
    DepositState,
    GameAccount,
    HeldDeposit,
    HeldState,
    LedgerAccount,
    PaymentInstrument,
    ProviderDeposit,
    TopUpWay,
    UnmatchedItem,
)
from accounts.models.held_deposits import UNDER_WAY
from accounts.models.providers import DEPOSIT_MOVES
from accounts.services.currencies import convert
from accounts.services.instruments import remember_instrument
from accounts.services.providers.interface import Outcome, Standing
from accounts.services.topups import Paid, credit
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.journal import write_journal


def hold_deposit(*, deposit: ProviderDeposit, standing: Standing, why: str, actor: str) -> HeldDeposit | None:
    """Book what was taken for a locked deposit and may not be credited, inside the caller's transaction.

    Returns what is held, now or since before; None for what was not taken, was credited, or is worth nothing.

    :raises DomainError: RATE_STALE.
    """
    held = HeldDeposit.objects.filter(deposit=deposit).first()
    takes = DepositState.HELD in DEPOSIT_MOVES[DepositState(deposit.state)]
    if held is not None or standing.outcome != Outcome.DONE or not takes:
        return held
    at = clock.now()
    worth = convert(amount=standing.amount, currency=standing.currency, at=at)
    if worth.kopecks <= 0:
        return None
    held = HeldDeposit.objects.create(
        deposit=deposit,
        taken=standing.amount,
        currency=standing.currency,
        rate=worth.rate,
        amount=worth.kopecks,
        instrument=reported_instrument(deposit, standing, at),
        why=why,
        held_at=at,
        moved_at=at,
    )
    deposit.state = DepositState.HELD
    deposit.save(update_fields=["state"])
    post(
        key=f"deposit-held:{deposit.pk}",
        kind=TransferKind.DEPOSIT_HELD,
        occurred_at=at,
        cause=f"payment:{deposit.reference}",
        movements=[Movement(ledger_account(AccountKind.AT_PROVIDER, deposit.provider), _held(deposit), held.amount)],
    )
    write_journal(
        at=at,
        actor=actor,
        act="hold_deposit",
        subject=f"payment:{deposit.reference}",
        reason=why,
        after={"taken": f"{held.taken} {held.currency}", "amount": held.amount},
    )
    return held


def credit_held(held: HeldDeposit, actor: str) -> None:
    """Put a locked held deposit onto the game account, now that it may be, inside the caller's transaction.

    :raises DomainError: WRONG_STATE while it is being given back, or when it ended; what `credit` refuses.
    """
    refuse_ended(held)
    if held.returns.filter(state__in=UNDER_WAY).exists():
        raise DomainError(Refusal.WRONG_STATE, _("This money is being given back."))
    at, deposit = clock.now(), held.deposit
    deposit.top_up = credit(
        account=GameAccount.objects.select_related("player", "ledger_account").get(pk=deposit.account_id),
        paid_from=_held(deposit),
        paid=Paid(held.amount, Currency(held.currency), held.taken, held.rate, held.instrument),
        way=TopUpWay.PROVIDER,
        reference=deposit.reference,
        received_at=held.held_at,
        actor=actor,
    )
    deposit.state, deposit.settled_at = DepositState.SETTLED, at
    deposit.save(update_fields=["state", "settled_at", "top_up"])
    _end(held, HeldState.CREDITED, at)


def give_deposit_back(held: HeldDeposit, *, actor: str, reason: str) -> None:
    """Book that the payer of a locked held deposit has the money again, inside the caller's transaction.

    :raises DomainError: WRONG_STATE when it ended before.
    """
    refuse_ended(held)
    at, deposit = clock.now(), held.deposit
    post(
        key=f"deposit-returned:{deposit.pk}",
        kind=TransferKind.DEPOSIT_RETURNED,
        occurred_at=at,
        cause=f"payment:{deposit.reference}",
        movements=[Movement(_held(deposit), ledger_account(AccountKind.AT_PROVIDER, deposit.provider), held.amount)],
    )
    deposit.state = DepositState.RETURNED
    deposit.save(update_fields=["state"])
    _end(held, HeldState.RETURNED, at)
    open_items = UnmatchedItem.objects.filter(provider=deposit.provider, reference=deposit.reference, closed_at=None)
    open_items.update(closed_at=at, decision=reason[:200])
    write_journal(
        at=at,
        actor=actor,
        act="give_deposit_back",
        subject=f"payment:{deposit.reference}",
        reason=reason,
        after={"given_back": f"{held.taken} {held.currency}", "amount": held.amount},
    )


def lock_held(number: int) -> HeldDeposit | None:
    """Lock a deposit and what is held of it, and return that as it is now."""
    ProviderDeposit.objects.select_for_update(no_key=True).filter(pk=number).first()
    return HeldDeposit.objects.select_related("deposit", "rate", "instrument").filter(pk=number).first()


def refuse_ended(held: HeldDeposit) -> None:
    """Refuse what was credited or given back; :raises DomainError: WRONG_STATE."""
    if held.state != HeldState.HELD:
        raise DomainError(Refusal.WRONG_STATE, _("This money is not held any more."))


def reported_instrument(deposit: ProviderDeposit, standing: Standing, at: datetime) -> PaymentInstrument | None:
    """Remember what the payment system says that the money came from."""
    reported = standing.instrument
    if reported is None:
        return None
    return remember_instrument(
        account=GameAccount.objects.select_related("player").get(pk=deposit.account_id),
        kind=reported.kind,
        provider=deposit.provider,
        token=reported.token,
        label=reported.label,
        at=at,
    )


def _held(deposit: ProviderDeposit) -> LedgerAccount:
    return ledger_account(AccountKind.HELD_DEPOSITS, deposit.provider)


def _end(held: HeldDeposit, state: HeldState, at: datetime) -> None:
    held.state, held.moved_at = state, at
    held.save(update_fields=["state", "moved_at"])
