"""What a fiscal cash register has to print, in its order, and what it has printed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.points import Till


class FiscalKind(models.TextChoices):
    """What is told to the register."""

    SALE = "sale", _("sale")
    PAYOUT = "payout", _("payout")
    Z = "z", _("shift closed")
    FUNDING = "funding", _("cash brought to the till")
    COLLECTION = "collection", _("cash taken from the till")
    CLOSING = "closing", _("till closed for good")


class FiscalDocument(models.Model):
    """One message to the register of a till: queued with what it tells of, printed after it is committed."""

    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="fiscal_documents")
    kind = models.CharField(max_length=12, choices=FiscalKind)
    subject = models.CharField(max_length=80, help_text="`bet:2411-1-…`, `shift:17`, `handover:4`.")
    amount = models.BigIntegerField(help_text="Kopecks.")
    queued_at = models.DateTimeField()
    printed_at = models.DateTimeField(null=True)
    fiscal_number = models.CharField(max_length=60, blank=True, help_text="Given by the register.")
    tries = models.PositiveIntegerField(default=0)
    fault = models.CharField(max_length=200, blank=True, help_text="Of the last try.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["till", "kind", "subject"], name="accounts_fiscal_once"),
            models.CheckConstraint(
                condition=Q(printed_at__isnull=True) | ~Q(fiscal_number=""), name="accounts_fiscal_printed_has_number"
            ),
        ]
        indexes = [
            models.Index(fields=["till", "id"], condition=Q(printed_at__isnull=True), name="accounts_fiscal_unprinted")
        ]
