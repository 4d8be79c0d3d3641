"""Where results are heard of, and what was heard: proposals that a member of the commission may read (U2)."""

from django.conf import settings
from django.db import models
from django.db.models import Q, TextChoices
from django.utils.translation import gettext_lazy as _

from pools.models.pools import Pool


class FeedFormat(TextChoices):
    """How a feed writes its results (docs/events.md)."""

    JSON = "json", _("JSON")
    CSV = "csv", _("table (CSV)")


class ResultFeed(models.Model):
    """A source of results. It only ever proposes: nothing of it becomes an entry by itself."""

    name = models.CharField(max_length=60, unique=True)
    url = models.CharField(
        max_length=500, blank=True, help_text="With `{pool}` for the pool's code; empty: files are brought by hand."
    )
    format = models.CharField(max_length=4, choices=FeedFormat)
    enabled = models.BooleanField(default=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField()


class ResultProposal(models.Model):
    """What one feed said of one pool at one instant, with the very file that says so. Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="result_proposals")
    feed = models.ForeignKey(ResultFeed, on_delete=models.PROTECT, related_name="proposals")
    source = models.CharField(max_length=500, help_text="The address, or the file's name.")
    captured_at = models.DateTimeField(help_text="By the database's clock.")
    captured_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    digest = models.CharField(max_length=71, help_text="Of the file.")
    file = models.BinaryField(help_text="As it came.")
    result_text = models.TextField(help_text="Canonical JSON: what of `conditions` and `first_started_at` it tells.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "feed", "digest"], name="pools_proposal_once"),
            models.CheckConstraint(condition=~Q(digest=""), name="pools_proposal_has_evidence"),
        ]
