"""What a result is known from: the source, when it was captured, and the very file (H4)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from pools.models.pools import Pool
from totalizator.core.filed_files import private_storage


class Evidence(models.Model):
    """One piece of evidence of a pool's result. Append-only.

    The file's name is made of its digest; what it was uploaded as is kept beside it.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="evidence")
    condition = models.CharField(max_length=20, blank=True, help_text="Its code; empty: the whole event.")
    source = models.CharField(max_length=200, help_text="Who says so: a federation, a broadcaster.")
    address = models.CharField(max_length=500, blank=True, help_text="Where it was found.")
    captured_at = models.DateTimeField()
    file = models.FileField(storage=private_storage, max_length=200)
    original_name = models.CharField(max_length=200)
    content_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="Bytes.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the content.")
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    filed_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(digest="") & Q(size__gt=0), name="pools_evidence_is_there")]

    def __str__(self) -> str:
        return f"{self.source}, {self.digest}"
