"""Decisions of two people about a line of the bank that may be one that came in another format (¶35.5)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models.bank import BankLine


class BankLineProposal(models.Model):
    """What one of the organizer's staff has found out, and asks another to approve; the latest counts. Append-only."""

    line = models.ForeignKey(BankLine, on_delete=models.PROTECT, related_name="proposals")
    same = models.BooleanField(help_text="Whether it is the payment that `line.resembles` has told already.")
    document = models.CharField(max_length=200, help_text="What the bank says about it.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class BankLineDecision(models.Model):
    """A proposal that was approved and carried out, and the two people. Append-only."""

    proposal = models.OneToOneField(
        BankLineProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision"
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_bank_line_told_by_two")
        ]
