"""Money that a player asks back: one table of allowed moves, one way to make one (F2, docs/states.md)."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models.game_accounts import GameAccount
from accounts.models.instruments import PaymentInstrument
from totalizator.core.errors import DomainError, Refusal


class WithdrawalState(models.TextChoices):
    """Where a withdrawal stands.

    It is unknown from just before it is sent until the payment system has answered: who is not answered, or dies
    meanwhile, leaves it unknown, and nothing unknown is ever sent again.
    """

    REQUESTED = "requested", _("asked for")
    APPROVED = "approved", _("approved")
    UNKNOWN = "unknown", _("sent, not answered")
    SENT = "sent", _("under way")
    CONFIRMED = "confirmed", _("paid")
    FAILED = "failed", _("failed, money back on the account")
    CANCELLED = "cancelled", pgettext_lazy("a withdrawal", "cancelled")


MOVES: Mapping[WithdrawalState, frozenset[WithdrawalState]] = {
    WithdrawalState.REQUESTED: frozenset({WithdrawalState.APPROVED, WithdrawalState.CANCELLED}),
    WithdrawalState.APPROVED: frozenset({WithdrawalState.UNKNOWN, WithdrawalState.SENT, WithdrawalState.FAILED}),
    WithdrawalState.UNKNOWN: frozenset({WithdrawalState.SENT, WithdrawalState.CONFIRMED, WithdrawalState.FAILED}),
    WithdrawalState.SENT: frozenset({WithdrawalState.CONFIRMED, WithdrawalState.FAILED}),
    WithdrawalState.CONFIRMED: frozenset(),
    WithdrawalState.FAILED: frozenset(),
    WithdrawalState.CANCELLED: frozenset(),
}
OPEN_STATES = tuple(state for state, ends in MOVES.items() if ends)
"""The money has left the account and not yet reached the player: it is in `withdrawals_due`."""


class Withdrawal(models.Model):
    """One withdrawal from a game account to an instrument of its owner."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="withdrawals")
    instrument = models.ForeignKey(PaymentInstrument, on_delete=models.PROTECT, related_name="withdrawals")
    amount = models.BigIntegerField(help_text="Kopecks.")
    state = models.CharField(max_length=10, choices=WithdrawalState, default=WithdrawalState.REQUESTED)
    signed_wish = models.CharField(
        max_length=120, blank=True, help_text="The paper by which the player wants another way than the money's (¶41)."
    )
    requested_at = models.DateTimeField()
    moved_at = models.DateTimeField(help_text="When the state last changed.")
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Empty: below the sum from which staff must approve.",
    )
    provider_reference = models.CharField(max_length=80, blank=True, help_text="What the payment system calls it.")
    reason = models.CharField(max_length=200, blank=True, help_text="Why it failed or was cancelled.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_withdrawal_positive")]
        indexes = [
            models.Index(
                fields=["state", "moved_at"],
                name="accounts_withdrawals_open",
                condition=Q(state__in=["requested", "approved", "unknown", "sent"]),
            )
        ]

    @property
    def reference(self) -> str:
        """What we call it towards payment systems and banks."""
        return f"W-{self.pk}"


def move(withdrawal: Withdrawal, to: WithdrawalState, **changes: Any) -> None:
    """Take `withdrawal` from the state it was read in to `to`, setting `changes`, if nobody moved it meanwhile.

    :raises DomainError: WRONG_STATE when the table does not allow the move, or the row has moved on.
    """
    came_from = WithdrawalState(withdrawal.state)
    moved = 0
    if to in MOVES[came_from]:
        moved = Withdrawal.objects.filter(pk=withdrawal.pk, state=came_from).update(state=to, **changes)
    if not moved:
        raise DomainError(
            Refusal.WRONG_STATE,
            _("The withdrawal is: %(state)s; it cannot become: %(wanted)s.")
            % {"state": came_from.label, "wanted": to.label},
            state=came_from.value,
        )
    withdrawal.state = to
    for name, value in changes.items():
        setattr(withdrawal, name, value)
