"""Winnings of cancelled bets that were given back to the organizer (¶29, D-3)."""

from django.conf import settings
from django.db import models

from pools.models import Pool


class ReceivablePayment(models.Model):
    """A sum that somebody gave back of a paid winning whose bet was cancelled afterwards. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="receivable_payments")
    ticket = models.CharField(max_length=40)
    amount = models.BigIntegerField(help_text="Kopecks, received on the bank account.")
    document = models.CharField(max_length=100, help_text="The paper that shows it, of the bank or of the payer.")
    booked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    booked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="payouts_given_back_positive"),
            models.UniqueConstraint(fields=["pool", "ticket", "document"], name="payouts_given_back_once_a_document"),
        ]
