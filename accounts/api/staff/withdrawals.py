"""Withdrawals that wait for the staff: approved, taken back, or ended by a document (F2, ¶41-42)."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from accounts.api.staff.acts import Act, Listing, Told, Written
from accounts.api.staff.naming import NothingBody, StaffReasonBody, found, name_of
from accounts.models import User, Withdrawal, WithdrawalState
from accounts.services.withdrawals import approve_withdrawal, cancel_withdrawal
from totalizator.core.api.documents import Byn, Moment, instant
from totalizator.core.api.reading import PageQuery
from totalizator.core.errors import Refusal
from totalizator.core.money import plain_byn

TAG = "Staff: withdrawals"


class WithdrawalQuery(PageQuery):
    """Which of them: those that wait for approval, unless told."""

    state = serializers.ChoiceField(WithdrawalState.choices, required=False)


class StaffWithdrawal(serializers.Serializer[None]):
    """A withdrawal, and where it goes as the player knows it."""

    number = serializers.IntegerField()
    username = serializers.CharField()
    amount = Byn()
    state = serializers.ChoiceField(WithdrawalState.choices)
    instrument = serializers.CharField(help_text="`•••• 4242`.")
    provider = serializers.CharField(allow_blank=True, help_text="Empty: it goes by the bank.")
    signed_wish = serializers.CharField(allow_blank=True, help_text="The paper that wants another way (¶41).")
    requested_at = Moment()
    moved_at = Moment()
    approved_by = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)


def all_withdrawals() -> QuerySet[Withdrawal]:
    """Withdrawals, with what is told of them."""
    return Withdrawal.objects.select_related("account__player", "account__ledger_account", "instrument", "approved_by")


def _rows(query: Told) -> QuerySet[Withdrawal]:
    return all_withdrawals().filter(state=query.get("state", WithdrawalState.REQUESTED))


def _approve(staff: User, told: Told, number: int) -> None:  # noqa: ARG001
    approve_withdrawal(withdrawal=found(all_withdrawals(), pk=number), approved_by=staff)


def _cancel(staff: User, told: Told, number: int) -> None:
    cancel_withdrawal(withdrawal=found(all_withdrawals(), pk=number), reason=told["reason"], actor=staff)


def _shown(staff: User, told: Told, number: int) -> Written:  # noqa: ARG001
    return withdrawal_document(found(all_withdrawals(), pk=number))


def withdrawal_document(withdrawal: Withdrawal) -> Written:
    """Write a withdrawal as staff see it."""
    return {
        "number": withdrawal.pk,
        "username": withdrawal.account.player.username,
        "amount": plain_byn(withdrawal.amount),
        "state": withdrawal.state,
        "instrument": withdrawal.instrument.label,
        "provider": withdrawal.instrument.provider,
        "signed_wish": withdrawal.signed_wish,
        "requested_at": instant(withdrawal.requested_at),
        "moved_at": instant(withdrawal.moved_at),
        "approved_by": name_of(withdrawal.approved_by),
        "reason": withdrawal.reason,
    }


_OF_ONE: dict[str, Any] = {"tag": TAG, "answer": StaffWithdrawal, "status": 200}
_UNFIT = (Refusal.NOT_FOUND, Refusal.WRONG_STATE)
DECLARED = (
    Listing(
        path="withdrawals",
        name="staff_withdrawals",
        summary="Withdrawals that wait for approval, or those of another state, from the oldest",
        tag=TAG,
        rows_name="withdrawals",
        row=StaffWithdrawal,
        rows=_rows,
        write=withdrawal_document,
        query=WithdrawalQuery,
        ordering=("requested_at", "pk"),
    ),
    Act(
        path="withdrawals/<int:number>/approval",
        name="staff_withdrawal_approve",
        summary="Let a withdrawal be sent",
        body=NothingBody,
        do=_approve,
        shown=_shown,
        refused=_UNFIT,
        **_OF_ONE,
    ),
    Act(
        path="withdrawals/<int:number>/cancellation",
        name="staff_withdrawal_cancel",
        summary="Put the money of a withdrawal that is not approved back on the account",
        body=StaffReasonBody,
        do=_cancel,
        shown=_shown,
        refused=_UNFIT,
        **_OF_ONE,
    ),
)
