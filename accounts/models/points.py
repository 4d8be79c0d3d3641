"""Where cash bets are taken and paid (¶9.2, ¶35.1)."""

from django.conf import settings
from django.db import models

from accounts.ledger.models import LedgerAccount


class BettingPoint(models.Model):
    """A betting point. `time_zone` is what its clock on the wall shows; legal days are always Minsk's."""

    code = models.CharField(max_length=12, unique=True)
    name = models.CharField(max_length=200)
    address = models.CharField(max_length=300, blank=True)
    time_zone = models.CharField(max_length=40, default="Europe/Minsk")

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


class Till(models.Model):
    """A till of a betting point, with the cashier who works at it."""

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="tills")
    number = models.PositiveSmallIntegerField()
    cashier = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="till", null=True, blank=True
    )
    ledger_account = models.OneToOneField(LedgerAccount, on_delete=models.PROTECT, related_name="till")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["point", "number"], name="accounts_till_once")]

    def __str__(self) -> str:
        return f"{self.point.code}/{self.number}"
