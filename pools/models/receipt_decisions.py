"""What two people decide about money that found no place by itself (¶9.13, ¶17.1-17.3)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import GameAccount, Outcome, Receipt
from pools.models.bet_orders import BetOrder
from totalizator.core.encrypted import EncryptedTextField


class ReceiptProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest one counts. Only a new key changes it."""

    receipt = models.ForeignKey(Receipt, on_delete=models.PROTECT, related_name="proposals")
    outcome = models.CharField(max_length=10, choices=Outcome)
    amount = models.BigIntegerField(help_text="Kopecks: what lay open when it was proposed.")
    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, null=True, related_name="+")
    order = models.ForeignKey(BetOrder, on_delete=models.PROTECT, null=True, related_name="+")
    payee_name = EncryptedTextField(help_text="For a return.")
    payee_account = EncryptedTextField(help_text="For a return.")
    payee_address = EncryptedTextField(default="", help_text="For a return by post.")
    reason = models.TextField()
    document = models.CharField(max_length=200, help_text="The paper that says so.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class ReceiptDecision(models.Model):
    """A proposal that was approved and carried out, and the two people. Append-only."""

    proposal = models.OneToOneField(
        ReceiptProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision"
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="pools_receipt_decided_by_two")
        ]
