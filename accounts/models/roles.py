"""Who may give a person another role: two people, and only by their decision (R1)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models.users import Role


class RoleProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest one of a person counts. Append-only."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="role_proposals")
    role = models.CharField(max_length=12, choices=Role)
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class RoleDecision(models.Model):
    """A proposal that was approved. Append-only; the database changes a role only in its transaction."""

    proposal = models.OneToOneField(RoleProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_role_decided_by_two")
        ]
