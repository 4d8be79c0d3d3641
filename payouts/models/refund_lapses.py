"""What becomes of refunds that nobody collected in the limitation term: two people decide (D-12)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from pools.models import Pool


class RefundLapseProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest of a pool counts. Append-only.

    It is of the refunds of the pool whose limitation term was over when it was made, and that nobody had collected.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="refund_lapse_proposals")
    document = models.CharField(max_length=200, help_text="The paper that says so.")
    tickets = models.BigIntegerField(help_text="How many there were then.")
    amount = models.BigIntegerField(help_text="Their stakes, in kopecks.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class RefundLapse(models.Model):
    """A proposal that was approved and carried out, and the two people. Append-only."""

    proposal = models.OneToOneField(
        RefundLapseProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision"
    )
    tickets = models.BigIntegerField(help_text="How many went to the jackpot: those not collected meanwhile.")
    amount = models.BigIntegerField(help_text="Kopecks.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="payouts_refunds_lapsed_by_two")
        ]
