"""Files of payment orders for the bank (ISO 20022 pain.001)."""

from django.conf import settings
from django.db import models

from accounts.models.bank import OwnBankAccount
from totalizator.core.encrypted import EncryptedTextField


class PaymentFile(models.Model):
    """One file, kept as it was made: given out again it is the same message, which a bank executes once.

    Its orders name it by its digest.
    """

    message_id = models.CharField(max_length=35, unique=True)
    account = models.ForeignKey(OwnBankAccount, on_delete=models.PROTECT, related_name="payment_files")
    orders = models.PositiveIntegerField()
    total = models.BigIntegerField(help_text="Kopecks.")
    digest = models.CharField(max_length=71, unique=True)
    content = EncryptedTextField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.message_id
