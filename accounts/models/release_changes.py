"""What is going to be put in service, and who may say that it may be (R4)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class ReleaseChange(models.Model):
    """A change record: one of the organizer's staff asks another to approve it. Append-only."""

    code = models.CharField(max_length=71, help_text="The digest of the code, as its tests printed it.")
    notice = models.TextField(help_text="What changes, for whom, and who was told of it when.")
    evidence = models.TextField(help_text="Which run of the tests over exactly this code passed, and where it is kept.")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class ReleaseApproval(models.Model):
    """A change record that was approved: one release may be registered by it. Append-only."""

    change = models.OneToOneField(ReleaseChange, on_delete=models.PROTECT, primary_key=True, related_name="approval")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_release_approved_by_two")
        ]
