"""Every key that the operator has ever signed with, and what the one before said of it (X1, X6)."""

from django.db import models


class OperatorKey(models.Model):
    """A public key of the operator's. Append-only: what it signed is checked with it for good."""

    key_id = models.CharField(max_length=41, primary_key=True)
    public = models.CharField(max_length=44, help_text="32 bytes in base64.")
    first_used_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.key_id


class OperatorKeyNotice(models.Model):
    """That the operator goes on with another key, signed by the key before and published in the log. Append-only."""

    key = models.OneToOneField(OperatorKey, on_delete=models.PROTECT, primary_key=True, related_name="notice")
    former = models.ForeignKey(OperatorKey, on_delete=models.PROTECT, related_name="+")
    document_text = models.TextField(help_text="Canonical JSON with the former key's signature, one line.")
    published_at = models.DateTimeField()
