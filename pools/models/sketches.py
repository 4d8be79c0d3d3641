"""A pool that somebody is still making up, step by step: nothing of it is promised, and nobody else sees it (A1)."""

from django.conf import settings
from django.db import models

from pools.models.pools import Pool


class PoolSketch(models.Model):
    """What was typed so far; it becomes a draft when it is prepared, and is then done with.

    `document` is the terms.json that it was begun from: what no step asks for is taken from it.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    origin = models.CharField(max_length=40, help_text="The template, or the code of the pool that it was begun from.")
    document = models.JSONField()
    typed = models.JSONField(default=dict, help_text="Step → field → the texts that were typed, right or not.")
    begun_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    pool = models.ForeignKey(
        Pool, on_delete=models.PROTECT, null=True, related_name="+", help_text="The draft that it changes, or became."
    )
    prepared_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["owner", "-changed_at"],
                condition=models.Q(prepared_at__isnull=True),
                name="pools_sketches_of_owner",
            )
        ]
