"""Whether a player wants letters beside the notices of the own page (K6)."""

from django.conf import settings
from django.db import models


class NoticeChoice(models.Model):
    """A player's word on letters; the latest counts, and without one letters are sent. Append-only."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notice_choices", db_index=False
    )
    letters = models.BooleanField(help_text="Whether notices are sent by e-mail too.")
    chosen_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["player", "-id"], name="payouts_latest_choice")]
