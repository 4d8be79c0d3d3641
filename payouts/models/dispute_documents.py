"""Documents that a player files with a dispute: a photo of the ticket, a paper (¶45, M1)."""

from django.conf import settings
from django.db import models

from payouts.models.disputes import Dispute
from totalizator.core.filed_files import private_storage


class DisputeDocument(models.Model):
    """One filed file of a dispute. Append-only; the file's name is made of its digest."""

    dispute = models.ForeignKey(Dispute, on_delete=models.PROTECT, related_name="documents", db_index=False)
    file = models.FileField(storage=private_storage, max_length=200)
    content_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="Bytes.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the content.")
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    filed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dispute", "digest"], name="payouts_dispute_document_once"),
        ]

    def __str__(self) -> str:
        return f"document {self.pk} of {self.dispute}"
