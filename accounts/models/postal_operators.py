"""The post, through whose hands transfers come and go: its account, from a day on (¶35.5-35.7, ¶41-43)."""

from django.conf import settings
from django.db import models


class PostalOperator(models.Model):
    """The operator's agreement with the post from a day on, until a later one holds. Append-only.

    What comes from `account` came by post; what goes by post is paid to it, with whom the post shall bring it to.
    """

    name = models.CharField(max_length=140, help_text="As the bank writes it.")
    account = models.CharField(max_length=34, help_text="IBAN.")
    bank = models.CharField(max_length=11, help_text="BIC.")
    agreement = models.CharField(max_length=200, help_text="The paper: its number and day.")
    valid_from = models.DateField()
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="Another person gives what goes by post to the bank.",
    )
    entered_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["account", "valid_from"], name="accounts_postal_accounts")]
