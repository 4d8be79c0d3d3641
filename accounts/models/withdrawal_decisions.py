"""Decisions of two people about a withdrawal of which the payment system tells nothing: paid or not (F2)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models.withdrawals import Withdrawal


class WithdrawalProposal(models.Model):
    """What one of the organizer's staff has found out, and asks another to approve; the latest counts. Append-only."""

    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="proposals")
    paid = models.BooleanField(help_text="Whether the player has the money.")
    document = models.CharField(max_length=200, help_text="The paper of the payment system that says so.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class WithdrawalDecision(models.Model):
    """A proposal that was approved and carried out, and the two people. Append-only."""

    proposal = models.OneToOneField(
        WithdrawalProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision"
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_withdrawal_ended_by_two")
        ]
