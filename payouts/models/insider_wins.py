"""Wins of staff, agents and insiders of a year, as they were published (X11)."""

from django.db import models


class PublishedInsiderWins(models.Model):
    """What was published of a legal year, once. Append-only; the public log names its digest."""

    year = models.PositiveSmallIntegerField(primary_key=True)
    document_text = models.TextField(help_text="Canonical JSON, one line.")
    published_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"insider wins of {self.year}"
