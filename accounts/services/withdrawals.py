"""Asking for money, approving it, changing one's mind (F2, ¶41-42).

The money leaves the account when it is asked for, so that it cannot be bet meanwhile. Who is excluded or blocked can
still withdraw (P2, E5).
"""

from datetime import datetime

from django.db import connection
from django.utils.translation import gettext_lazy as _

from accounts.ledger.kinds import AccountKind, TransferKind
from accounts.ledger.posting import Movement, ledger_account, post
from accounts.locks import lock_person
from accounts.models import GameAccount, PaymentInstrument, User, Withdrawal, WithdrawalState
from accounts.services.payment_orders import draw_up_withdrawal
from accounts.services.staff import refuse_all_but_staff, written
from accounts.services.withdrawal_ends import give_back, move_on
from accounts.services.withdrawal_rules import (
    needs_approval,
    refuse_nothing,
    refuse_wish,
)
from totalizator.core import clock
from totalizator.core.errors import DomainError, Refusal
from totalizator.core.idempotency import fingerprint_of, recall_or_reserve
from totalizator.core.journal import write_journal
from totalizator.core.transactions import one_transaction

_SYSTEM = "rule:small_withdrawal"


def request_withdrawal(
    *,
    account: GameAccount,
    amount: int,
    instrument: PaymentInstrument,
    stepped_up: bool,
    idempotency_key: str,
    signed_wish: str = "",
    scope: str = "",
) -> Withdrawal:
    """Take `amount` kopecks from the account to send them to the player's instrument; small sums are approved at once.

    `stepped_up`: the player has just shown the second factor. `signed_wish` names the paper by which the player wants
    another way than back to the credit card; staff then approve it (¶41). The same request again gets the first answer.
    `scope`: whose key it is, where it is not the player's own.

    :raises DomainError: STEP_UP_NEEDED; BAD_VALUE; ACCOUNT_BLOCKED; ON_HOLD; OTHER_WAY; NOT_VERIFIED;
        NO_AGREEMENT; INSUFFICIENT_FUNDS; KEY_REUSED; BUSY. In each case nothing was done.
    """
    refuse_nothing(amount)
    fingerprint = fingerprint_of("request_withdrawal", account.pk, amount, instrument.pk, signed_wish)
    with one_transaction():
        number = _next_number()
        first = recall_or_reserve(
            scope=scope or account.player.actor,
            key=idempotency_key,
            fingerprint=fingerprint,
            answer=str(number),
            created_at=clock.now(),
        )
        if first is not None:
            return Withdrawal.objects.get(pk=int(first))
        if not stepped_up:
            raise DomainError(Refusal.STEP_UP_NEEDED, _("Show the second factor to withdraw money."))
        player = lock_person(account.player_id)
        account = GameAccount.objects.select_related("player", "ledger_account").get(pk=account.pk)
        at = clock.now()
        refuse_wish(account, player, amount, instrument, at, signed_wish=signed_wish)
        approval = needs_approval(account, amount, signed_wish, at)
        withdrawal = _take(number, account, amount, instrument, signed_wish, at)
        if not approval:
            _approve(withdrawal, actor=_SYSTEM, approved_by=None)
    return withdrawal


def approve_withdrawal(*, withdrawal: Withdrawal, approved_by: User) -> Withdrawal:
    """Let a withdrawal be sent.

    :raises DomainError: NOT_ALLOWED for who is not of the organizer's staff; WRONG_STATE.
    """
    refuse_all_but_staff(approved_by)
    with one_transaction():
        _approve(withdrawal, actor=approved_by.actor, approved_by=approved_by)
    return withdrawal


def cancel_withdrawal(*, withdrawal: Withdrawal, reason: str, actor: User) -> Withdrawal:
    """Put the money of a withdrawal that is not approved yet back on the account: by its owner, or by staff.

    :raises DomainError: NOT_ALLOWED; BAD_VALUE without a reason; WRONG_STATE.
    """
    if actor != withdrawal.account.player:
        refuse_all_but_staff(actor)
    reason = written(reason, field="reason")
    with one_transaction():
        give_back(withdrawal, WithdrawalState.CANCELLED, reason=reason, actor=actor.actor, act="cancel_withdrawal")
    return withdrawal


def _take(
    number: int, account: GameAccount, amount: int, instrument: PaymentInstrument, signed_wish: str, at: datetime
) -> Withdrawal:
    """Move the money out of the account and write the withdrawal."""
    withdrawal = Withdrawal(
        pk=number,
        account=account,
        instrument=instrument,
        amount=amount,
        signed_wish=signed_wish,
        requested_at=at,
        moved_at=at,
    )
    post(
        key=f"withdrawal:{number}",
        kind=TransferKind.WITHDRAWAL,
        occurred_at=at,
        cause=f"withdrawal:{number}",
        movements=[Movement(account.ledger_account, ledger_account(AccountKind.WITHDRAWALS_DUE), amount)],
    )
    withdrawal.save(force_insert=True)
    write_journal(
        at=at,
        actor=account.player.actor,
        act="request_withdrawal",
        subject=f"withdrawal:{number}",
        reason=signed_wish,
        after={"account": account.pk, "amount": amount, "instrument": instrument.pk},
    )
    return withdrawal


def _next_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('accounts_withdrawal', 'id'))")
        (number,) = cursor.fetchone()
    return int(number)


def _approve(withdrawal: Withdrawal, *, actor: str, approved_by: User | None) -> None:
    move_on(withdrawal, WithdrawalState.APPROVED, actor=actor, act="approve_withdrawal", approved_by=approved_by)
    if not withdrawal.instrument.provider:
        draw_up_withdrawal(withdrawal)
