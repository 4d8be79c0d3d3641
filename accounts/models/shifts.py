"""A cashier's shift at a till, and the report that closes it (C2)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _

from accounts.models.points import Till


class Shift(models.Model):
    """From one count of the till to the next; amounts in kopecks.

    `opening_debits` and `opening_credits` are the counters of the till's ledger account at the opening: what they grew
    by since is exactly what came in and went out (docs/points.md).
    """

    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="shifts")
    number = models.PositiveIntegerField(help_text="From 1 at each till.")
    cashier = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="shifts")
    opened_at = models.DateTimeField()
    opening_debits = models.BigIntegerField()
    opening_credits = models.BigIntegerField()
    closed_at = models.DateTimeField(null=True)
    expected = models.BigIntegerField(null=True, help_text="Float + in − out.")
    counted = models.BigIntegerField(null=True)
    reason = models.TextField(blank=True, help_text="Of a shortage or an excess.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["till"], condition=Q(closed_at__isnull=True), name="accounts_one_shift"),
            models.UniqueConstraint(fields=["till", "number"], name="accounts_shift_once"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, expected__isnull=True, counted__isnull=True)
                | Q(closed_at__isnull=False, expected__isnull=False, counted__isnull=False),
                name="accounts_shift_closed_by_count",
            ),
            models.CheckConstraint(
                condition=Q(counted__isnull=True) | Q(counted=F("expected")) | ~Q(reason=""),
                name="accounts_difference_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return _("%(till)s, shift no. %(number)s") % {"till": self.till, "number": self.number}

    @property
    def opening_float(self) -> int:
        """What was in the till at the opening, in kopecks."""
        return self.opening_debits - self.opening_credits


class ZReport(models.Model):
    """The frozen figures of a closed shift. Append-only."""

    shift = models.OneToOneField(Shift, on_delete=models.PROTECT, primary_key=True, related_name="z_report")
    text = models.TextField(help_text="Canonical JSON; the document is drawn from it alone.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the text.")
    made_at = models.DateTimeField()
