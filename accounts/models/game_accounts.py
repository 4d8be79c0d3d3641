"""A registered player's money (¶35.3)."""

from django.conf import settings
from django.db import models

from accounts.ledger.models import LedgerAccount


class GameAccount(models.Model):
    """The one game account of a player. The money itself is its ledger account's balance."""

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="game_account")
    ledger_account = models.OneToOneField(LedgerAccount, on_delete=models.PROTECT, related_name="game_account")
    opened_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"game account {self.pk}"
