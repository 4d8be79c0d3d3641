"""Large winnings in cash: prepared by one person for somebody by name, approved by another, then paid (K1)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import BettingPoint, Person
from pools.models import Pool


class LargePayment(models.Model):
    """That a large winning is to be paid to a person at a central desk; the latest of a ticket counts. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+")
    ticket = models.CharField(max_length=40, db_index=True)
    amount = models.BigIntegerField(help_text="Kopecks, before tax.")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="+")
    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="+")
    prepared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gt=0), name="payouts_large_payment_positive")]


class LargeApproval(models.Model):
    """That another person approved it. Append-only."""

    payment = models.OneToOneField(LargePayment, on_delete=models.PROTECT, primary_key=True, related_name="approval")
    prepared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(prepared_by=F("approved_by")), name="payouts_large_payment_by_two")
        ]
