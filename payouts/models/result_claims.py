"""Claims against a published result, each with an official document (¶33)."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField
from totalizator.core.filed_files import private_storage


class ResultClaimState(models.TextChoices):
    """Where a claim stands."""

    FILED = "filed", _("filed")
    UPHELD = "upheld", _("upheld")
    REJECTED = "rejected", _("rejected")


class ResultClaim(models.Model):
    """One claim; its number is its key. Append-only. The file's name is made of its digest."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="result_claims")
    claimant = EncryptedTextField(help_text="Who claims, and where to answer.")
    story = EncryptedTextField(help_text="Which outcome is said to be wrong, and why.")
    issuer = models.CharField(max_length=200, help_text="Who has issued the document: a federation, a league.")
    file = models.FileField(storage=private_storage, max_length=200)
    content_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="Bytes.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the content.")
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    filed_at = models.DateTimeField()

    @property
    def state(self) -> ResultClaimState:
        """What was answered, if anything was."""
        answer = ResultClaimAnswer.objects.filter(claim=self).first()
        if answer is None:
            return ResultClaimState.FILED
        return ResultClaimState.UPHELD if answer.upheld else ResultClaimState.REJECTED


class ResultClaimAnswer(models.Model):
    """What was answered, once. Append-only."""

    claim = models.OneToOneField(ResultClaim, on_delete=models.PROTECT, primary_key=True, related_name="answer")
    upheld = models.BooleanField()
    words = EncryptedTextField()
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    answered_at = models.DateTimeField()
