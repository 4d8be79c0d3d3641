"""The post's registers: which remittances one line of a statement stands for (¶35.5)."""

from django.conf import settings
from django.db import models

from accounts.models.bank import BankLine


class PostalRegister(models.Model):
    """Which remittances the post has paid by one line of a statement. Append-only.

    Each is a bank line of its own, part of that one, with its sender and what the sender wrote.
    """

    line = models.OneToOneField(BankLine, on_delete=models.PROTECT, related_name="postal_register")
    number = models.CharField(max_length=40, help_text="As the post numbers it, and names it in the line's purpose.")
    file_digest = models.CharField(max_length=71, unique=True)
    remittances = models.PositiveIntegerField()
    imported_at = models.DateTimeField()
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
