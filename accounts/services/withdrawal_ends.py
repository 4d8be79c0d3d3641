"""How a withdrawal moves on, and how it ends: the money goes to the player, or back onto the account, once (F2)."""

from datetime import datetime
from typing import Any

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.models import LedgerAccount, Withdrawal, WithdrawalState
from accounts.models.withdrawals import move
from totalizator.core import clock
from totalizator.core.journal import write_journal


def move_on(
    withdrawal: Withdrawal, to: WithdrawalState, *, actor: str, act: str, at: datetime | None = None, **changes: Any
) -> None:
    """Move a withdrawal inside the caller's transaction and journal it.

    :raises DomainError: WRONG_STATE.
    """
    at = at or clock.now()
    came_from = withdrawal.state
    move(withdrawal, to, moved_at=at, **changes)
    write_journal(
        at=at,
        actor=actor,
        act=act,
        subject=f"withdrawal:{withdrawal.pk}",
        reason=withdrawal.reason,
        before={"state": str(came_from)},
        after={"state": str(to), "amount": withdrawal.amount},
    )


def confirm(withdrawal: Withdrawal, *, actor: str, **changes: Any) -> None:
    """Note that the player has the money.

    :raises DomainError: WRONG_STATE.
    """
    at = clock.now()
    move_on(withdrawal, WithdrawalState.CONFIRMED, actor=actor, act="confirm_withdrawal", at=at, **changes)
    _leave_due(withdrawal, TransferKind.WITHDRAWAL_PAID, "withdrawal-paid", at)


def give_back(withdrawal: Withdrawal, to: WithdrawalState, *, reason: str, actor: str, act: str) -> None:
    """End a withdrawal as failed or cancelled: the money is on the account again.

    :raises DomainError: WRONG_STATE.
    """
    at = clock.now()
    move_on(withdrawal, to, actor=actor, act=act, at=at, reason=reason[:200])
    _leave_due(withdrawal, TransferKind.WITHDRAWAL_RETURNED, "withdrawal-returned", at)


def _paid_from(withdrawal: Withdrawal) -> LedgerAccount:
    """Whose money reached the player: the bank's, or what the payment system holds for us."""
    provider = withdrawal.instrument.provider
    return ledger_account(AccountKind.AT_PROVIDER, provider) if provider else ledger_account(AccountKind.BANK)


def _leave_due(withdrawal: Withdrawal, kind: TransferKind, key: str, at: datetime) -> None:
    to = _paid_from(withdrawal) if kind == TransferKind.WITHDRAWAL_PAID else withdrawal.account.ledger_account
    post(
        key=f"{key}:{withdrawal.pk}",
        kind=kind,
        occurred_at=at,
        cause=f"withdrawal:{withdrawal.pk}",
        movements=[Movement(ledger_account(AccountKind.WITHDRAWALS_DUE), to, withdrawal.amount)],
    )
