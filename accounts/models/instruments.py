"""What a player's money comes from and goes back to: a bank account, a bank card, a wallet (¶41)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.game_accounts import GameAccount
from totalizator.core.encrypted import EncryptedTextField


class InstrumentKind(models.TextChoices):
    """What it is. To a credit card no more goes back than came from it, and that first (¶41)."""

    BANK_ACCOUNT = "bank", _("bank account")
    CREDIT_CARD = "credit", _("credit card")
    DEBIT_CARD = "debit", _("debit card")
    WALLET = "wallet", _("wallet of a payment system")
    POSTAL_ADDRESS = "post", _("postal transfer")


class PaymentInstrument(models.Model):
    """One instrument of one player: the verified bank account, an address, or what a payment system took money from."""

    account = models.ForeignKey(GameAccount, on_delete=models.PROTECT, related_name="instruments", db_index=False)
    kind = models.CharField(max_length=8, choices=InstrumentKind)
    provider = models.CharField(max_length=20, blank=True, help_text="The payment system; empty: it goes by the bank.")
    token = EncryptedTextField(help_text="The bank account, the address, or what the payment system calls it.")
    token_digest = models.BinaryField(max_length=32, help_text="Keyed.")
    label = models.CharField(max_length=40, help_text="What the player is shown: `•••• 4242`.")
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "provider", "token_digest"], name="accounts_instrument_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"
