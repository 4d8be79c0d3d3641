"""The end of a registration, and accounts that nobody uses (¶35.3, E5)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models.game_accounts import GameAccount


class Ending(models.Model):
    """That a registration ends: by the organizer, or by the player. The money has to be on its way by `due_at`."""

    account = models.OneToOneField(GameAccount, on_delete=models.PROTECT, primary_key=True, related_name="ending")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True, help_text="The organizer's.")
    begun_at = models.DateTimeField()
    due_at = models.DateTimeField(help_text="After it, money that is still on the account is overdue.")
    overdue_at = models.DateTimeField(null=True, help_text="When it was journalled that it is.")
    waits_for = models.CharField(max_length=40, blank=True, help_text="The refusal that keeps the money here.")
    bank_account_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Who of the staff noted the bank account from a paper, if somebody did.",
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["begun_at"], name="accounts_endings_open", condition=Q(ended_at__isnull=True)),
        ]


class DormancyNotice(models.Model):
    """That the owner of an account was told that nobody has used it for long. Append-only; nothing is taken."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="dormancy_notices")
    last_act_at = models.DateTimeField()
    told_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "last_act_at"], name="accounts_dormancy_told_once"),
        ]
