"""That a pool's payables are drawn up: once, whole, and agreeing with the ledger."""

from django.db import models

from pools.models import Pool


class Booking(models.Model):
    """What was found to be owed on a pool's tickets, and when. Append-only; written together with the payables."""

    pool = models.OneToOneField(Pool, on_delete=models.PROTECT, primary_key=True, related_name="booking")
    winnings = models.BigIntegerField(help_text="Kopecks.")
    refunds = models.BigIntegerField(help_text="Kopecks.")
    tickets = models.BigIntegerField(help_text="How many are owed something.")
    booked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(winnings__gte=0, refunds__gte=0, tickets__gte=0), name="payouts_booking_not_negative"
            )
        ]

    def __str__(self) -> str:
        return f"{self.pool_id}: {self.winnings} + {self.refunds}"
