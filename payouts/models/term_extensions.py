"""A pool's winnings can be claimed for longer: when points had to be shut in the term (K2)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from pools.models import Pool


class TermExtension(models.Model):
    """What one of the organizer's staff asks another to approve; the latest of a pool counts. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="term_extensions")
    payable_until = models.DateTimeField(help_text="The new end, exclusive.")
    reason = models.CharField(max_length=500)
    document = models.CharField(max_length=200)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class TermExtended(models.Model):
    """An extension that was approved, and the two people. Append-only."""

    extension = models.OneToOneField(TermExtension, on_delete=models.PROTECT, primary_key=True, related_name="decision")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="payouts_term_extended_by_two")
        ]
