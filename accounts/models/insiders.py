"""Who knows too much to play (E6)."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class InsiderKind(models.TextChoices):
    """Why somebody may not play here."""

    STAFF = "staff", _("organizer's staff")
    COMMISSION = "commission", _("commission member")
    TERMINAL_OWNER = "terminal_owner", _("terminals' owner")
    RELATIVE = "relative", _("relative of an insider")


class Insider(models.Model):
    """A person who may not play, by the keyed digest of the identity number; ends once, and is never deleted."""

    number_digest = models.BinaryField(max_length=32, db_index=True)
    kind = models.CharField(max_length=16, choices=InsiderKind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", help_text="Their own log-in."
    )
    listed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    listed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["number_digest", "kind"],
                condition=Q(ended_at__isnull=True),
                name="accounts_insider_listed_once",
            )
        ]
