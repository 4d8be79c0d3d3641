"""What a cashier's desk was told of each ticket that it checked, for who stands before it (C7)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Till
from payouts.models.payables import PayableKind


class TicketScan(models.Model):
    """One check of a ticket at a till, and its answer at that moment; amounts in kopecks. Append-only.

    Of a ticket that is not known, or whose check code was wrong, nothing is kept but that it was so. No codes.
    """

    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="ticket_scans", db_index=False)
    scanned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    scanned_at = models.DateTimeField()
    ticket = models.CharField(max_length=40, blank=True, help_text="Empty: not known, or a wrong code.")
    standing = models.CharField(max_length=20, blank=True, help_text="Where it stood (`TicketStanding`).")
    kind = models.CharField(max_length=10, choices=PayableKind, blank=True)
    amount = models.BigIntegerField(default=0, help_text="Before tax.")
    handed_over = models.BigIntegerField(null=True, help_text="What was paid of it, once it is.")
    paid_at = models.DateTimeField(null=True)
    paid_where = models.CharField(max_length=250, blank=True, help_text="The point and the till; empty: not in cash.")
    payable_from = models.DateTimeField(null=True)
    payable_until = models.DateTimeField(null=True, help_text="Exclusive.")
    goes_back = models.BooleanField(default=False, help_text="To an account or card, not in cash (¶41).")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ticket="", standing="", amount=0) | (~Q(ticket="") & ~Q(standing="")),
                name="payouts_scan_of_what_is_known",
            )
        ]
        indexes = [models.Index(fields=["till", "-id"], name="payouts_scans_of_till")]

    def __str__(self) -> str:
        return f"{self.pk}"
