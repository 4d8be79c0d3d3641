"""Who may change a dated number: two people, and only from a day that is to come (N4)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class NumberProposal(models.Model):
    """A value that one of the organizer's staff asks another to approve; of a number and day the latest counts.

    Append-only.
    """

    name = models.CharField(max_length=60)
    value = models.CharField(max_length=40, help_text="A whole number or an exact fraction: `21`, `1/20`.")
    valid_from = models.DateField(help_text="First day in Europe/Minsk on which the value holds.")
    source = models.CharField(max_length=200, help_text="The act or decision that says so.")
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class NumberDecision(models.Model):
    """A proposal that was approved. Append-only."""

    proposal = models.OneToOneField(NumberProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_number_decided_by_two")
        ]
