"""The currencies in which a payment system takes money, and the rate of each day (¶35.4)."""

from fractions import Fraction

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Currency(models.TextChoices):
    """By its ISO 4217 code; each has a hundred minor units."""

    BYN = "BYN", _("Belarusian ruble")
    RUB = "RUB", _("Russian ruble")
    USD = "USD", _("US dollar")
    EUR = "EUR", _("euro")


class CurrencyRate(models.Model):
    """What `units` of a currency cost in BYN from a legal day on. Append-only: top-ups point to it."""

    currency = models.CharField(max_length=3, choices=Currency)
    valid_on = models.DateField(help_text="First day in Europe/Minsk on which the rate holds.")
    units = models.PositiveIntegerField(help_text="For how many units the rate is: 1, or 100.")
    rate = models.CharField(max_length=20, help_text="BYN for `units`, an exact decimal: `3.5912`.")
    source = models.CharField(max_length=100, help_text="Whose rate it is.")
    imported_at = models.DateTimeField()
    imported_by = models.CharField(max_length=80)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["currency", "valid_on"], name="accounts_rate_once"),
            models.CheckConstraint(condition=Q(units__gt=0) & ~Q(currency="BYN"), name="accounts_rate_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.units} {self.currency} = {self.rate} BYN"

    @property
    def per_unit(self) -> Fraction:
        """BYN for one unit, exactly; as many kopecks for one minor unit."""
        return Fraction(self.rate) * Fraction(1, self.units)
