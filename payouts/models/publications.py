"""Publishing who won most: what the winner agreed to, and two people who publish it (¶14, ¶44)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from pools.models import Pool
from totalizator.core.encrypted import EncryptedTextField
from totalizator.core.filed_files import private_storage


class ConsentWay(models.TextChoices):
    """How the winner agreed."""

    PAPER = "paper", _("on signed paper")
    ACCOUNT = "account", _("from the game account")


class PublicationConsent(models.Model):
    """What one winner agreed to have published: what is empty is not. Kept for good, whatever becomes of it.

    The paper is filed as it was signed; a consent from the account is an act of its player's.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="publication_consents")
    ticket = models.CharField(max_length=40)
    way = models.CharField(max_length=7, choices=ConsentWay)
    name = EncryptedTextField(help_text="As it may be shown; empty: it may not.")
    words = EncryptedTextField(help_text="What else may be told; empty: nothing.")
    amount = models.BigIntegerField(null=True, help_text="Kopecks won, before tax; null: not to be shown.")
    photo = models.FileField(storage=private_storage, max_length=200, blank=True)
    photo_digest = models.CharField(max_length=71, blank=True, help_text="`sha256:` + hex; empty: no photo.")
    paper = models.FileField(storage=private_storage, max_length=200, blank=True)
    paper_digest = models.CharField(max_length=71, blank=True, help_text="`sha256:` + hex, of the signed paper.")
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The player whose act it was, or who of the staff took the paper.",
    )
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(way="account", paper_digest="", photo_digest="") | Q(way="paper") & ~Q(paper_digest=""),
                name="payouts_paper_is_filed",
            )
        ]

    def __str__(self) -> str:
        return f"consent {self.pk}"


class ConsentWithdrawal(models.Model):
    """That the winner wants nothing published any more; from then on nothing is shown. Append-only."""

    consent = models.OneToOneField(
        PublicationConsent, on_delete=models.PROTECT, primary_key=True, related_name="withdrawal"
    )
    reason = models.CharField(max_length=200, blank=True, help_text="The paper, where the staff took it.")
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    withdrawn_at = models.DateTimeField()


class PublicationProposal(models.Model):
    """That one of the organizer's staff wants published what a winner agreed to. Append-only."""

    consent = models.ForeignKey(PublicationConsent, on_delete=models.PROTECT, related_name="proposals")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class Publication(models.Model):
    """What two people have published. Append-only."""

    consent = models.OneToOneField(
        PublicationConsent, on_delete=models.PROTECT, primary_key=True, related_name="publication"
    )
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(proposed_by=F("approved_by")), name="payouts_published_by_two")
        ]
