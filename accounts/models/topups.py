"""Money that came onto a game account, whichever way (¶35, F1)."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.currencies import Currency, CurrencyRate
from accounts.models.game_accounts import GameAccount
from accounts.models.instruments import PaymentInstrument
from accounts.models.points import Till


class TopUpWay(models.TextChoices):
    """How the money came."""

    CASH = "cash", _("cash at a till")
    CARD = "card", _("prepaid card")
    BANK_TRANSFER = "bank", _("bank transfer")
    POSTAL_TRANSFER = "post", _("postal transfer")
    PROVIDER = "provider", _("payment system")


class TopUp(models.Model):
    """One credited payment. Append-only; the reference makes it happen once."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="top_ups", db_index=False)
    way = models.CharField(max_length=8, choices=TopUpWay)
    reference = models.CharField(max_length=60, help_text="Of the statement's line, the payment, the receipt.")
    amount = models.BigIntegerField(help_text="Kopecks credited.")
    currency = models.CharField(max_length=3, choices=Currency, default=Currency.BYN)
    original_amount = models.BigIntegerField(help_text="What was paid, in minor units of the currency.")
    rate = models.ForeignKey(
        CurrencyRate, on_delete=models.PROTECT, null=True, related_name="+", help_text="By which it was converted."
    )
    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="+")
    instrument = models.ForeignKey(PaymentInstrument, on_delete=models.PROTECT, null=True, related_name="top_ups")
    received_at = models.DateTimeField(help_text="When the money was paid.")
    credited_at = models.DateTimeField()
    credited_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["way", "reference"], name="accounts_topup_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_topup_positive"),
            models.CheckConstraint(
                condition=Q(currency="BYN", rate__isnull=True, original_amount=F("amount"))
                | (~Q(currency="BYN") & Q(rate__isnull=False)),
                name="accounts_topup_has_rate",
            ),
        ]
        indexes = [models.Index(fields=["account", "-credited_at"], name="accounts_topups")]

    @property
    def transfer_key(self) -> str:
        """The key of its transfer in the house's book."""
        return f"deposit:{self.way}:{self.reference}"
