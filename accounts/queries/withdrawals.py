"""Which withdrawals wait: for staff, for being sent, for an answer."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.models import DepositReturn, ReturnState, Withdrawal, WithdrawalState

_ANSWER_WITHIN = timedelta(minutes=5)


def withdrawals_to_approve() -> QuerySet[Withdrawal]:
    """Withdrawals that staff must approve, from the oldest."""
    return _with_all().filter(state=WithdrawalState.REQUESTED)


def withdrawals_to_send(providers: Collection[str]) -> list[Withdrawal]:
    """Return what is approved and goes by one of these payment systems, from the oldest."""
    return list(_with_all().filter(state=WithdrawalState.APPROVED, instrument__provider__in=providers))


def withdrawals_to_ask_about(providers: Collection[str], now: datetime) -> list[Withdrawal]:
    """Return what was sent by one of these payment systems a while ago and has not come to an end."""
    sent = _with_all().filter(
        state__in=(WithdrawalState.UNKNOWN, WithdrawalState.SENT),
        moved_at__lt=now - _ANSWER_WITHIN,
        instrument__provider__in=providers,
    )
    return list(sent)


def returns_to_send(providers: Collection[str]) -> list[DepositReturn]:
    """Return the approved returns of deposits that one of these payment systems holds, from the oldest."""
    return list(_returns(providers).filter(state=ReturnState.APPROVED))


def returns_to_ask_about(providers: Collection[str], now: datetime) -> list[DepositReturn]:
    """Return the returns that were sent a while ago and have not come to an end."""
    sent = _returns(providers).filter(state__in=(ReturnState.UNKNOWN, ReturnState.SENT))
    return list(sent.filter(moved_at__lt=now - _ANSWER_WITHIN))


def _returns(providers: Collection[str]) -> QuerySet[DepositReturn]:
    mine = DepositReturn.objects.filter(held__deposit__provider__in=providers)
    return mine.select_related("held__deposit").order_by("pk")


def _with_all() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.select_related("account__ledger_account", "account__player", "instrument").order_by("pk")
