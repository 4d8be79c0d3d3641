"""The text of the rules that bets are made under, by version (A3)."""

from django.db import models


class RulesText(models.Model):
    """One version of the acceptance conditions. Its digest stands in each pool's terms and on each bet."""

    version = models.CharField(max_length=71, primary_key=True, help_text="`sha256:` + hex, of the text.")
    text = models.TextField()
    valid_from = models.DateTimeField(help_text="Pools announced from then on are under this version.")
    published_at = models.DateTimeField()
    filed_at = models.DateTimeField(null=True, help_text="When it was filed with the regulator.")
    filing = models.CharField(max_length=200, blank=True, help_text="The filing's number and date.")

    class Meta:
        ordering = ["valid_from"]
