"""Copies of the list of unpaid winning tickets: how many were made on a day, and for whom (K3)."""

from django.conf import settings
from django.db import models

from pools.models import Pool


class UnpaidListCopy(models.Model):
    """One file of a pool's unpaid winnings that left the system. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    day = models.DateField(help_text="The legal day.")
    number = models.PositiveSmallIntegerField(help_text="From 1, of this pool on this day.")
    rows = models.PositiveIntegerField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "day", "number"], name="payouts_unpaid_copy_numbered_once")
        ]
