"""What a player's or cashier's own program shows in place of a log-in."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A token of 256 random bits; only its digest is kept, so that a copy of the database lets nobody in."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What its owner calls it.")
    digest = models.BinaryField(max_length=32, unique=True, help_text="SHA-256 of the token.")
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, help_text="To the minute.")
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
