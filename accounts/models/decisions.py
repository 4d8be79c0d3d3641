"""Decisions of two people about a game account: to block it, and to let it be used again (¶35.3, E5)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.game_accounts import GameAccount


class AccountAct(models.TextChoices):
    """What is decided."""

    BLOCK = "block", _("block")
    UNBLOCK = "unblock", _("unblock")


class AccountProposal(models.Model):
    """What one of the organizer's staff asks another to approve; the latest one counts. Append-only."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="proposals")
    act = models.CharField(max_length=8, choices=AccountAct)
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class AccountDecision(models.Model):
    """A proposal that was approved, and the two people. Append-only."""

    proposal = models.OneToOneField(
        AccountProposal, on_delete=models.PROTECT, primary_key=True, related_name="decision"
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="accounts_decision_by_two")
        ]
