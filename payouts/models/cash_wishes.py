"""A player's signed wish to have the winning of a card bet in cash instead of on the card (¶41)."""

from django.conf import settings
from django.db import models

from accounts.models import Till
from pools.models import Pool


class CashWish(models.Model):
    """The wish for one ticket. Append-only: a signed wish is not taken back."""

    pk = models.CompositePrimaryKey("pool_id", "ticket")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    ticket = models.CharField(max_length=40)
    document = models.CharField(max_length=200, help_text="The signed paper, by its number.")
    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="+", db_index=False)
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    taken_at = models.DateTimeField()
