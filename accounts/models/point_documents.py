"""The six documents that a stationary point must have on file (¶9.4)."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.points import BettingPoint
from totalizator.core.filed_files import private_storage


class DocumentKind(models.TextChoices):
    """¶9.4, in its order."""

    REGISTRATION = "registration", _("certificate of state registration")
    LICENCE = "licence", _("licence")
    REGISTER_SERVICE = "register_service", _("service contract of the cash register")
    PREMISES = "premises", _("title to the premises or lease")
    LIABILITY = "liability", _("liability contract of the employee")
    CONDITIONS = "conditions", _("acceptance conditions")


class PointDocument(models.Model):
    """One version of a document of a point. Append-only: the newest that has begun counts.

    The file's name is made of its digest; what was uploaded as is kept beside it.
    """

    point = models.ForeignKey(BettingPoint, on_delete=models.PROTECT, related_name="documents")
    kind = models.CharField(max_length=20, choices=DocumentKind)
    number = models.CharField(max_length=100)
    valid_from = models.DateField(help_text="First day in Europe/Minsk.")
    valid_until = models.DateField(null=True, help_text="Last day; empty: without an end.")
    file = models.FileField(storage=private_storage, max_length=200)
    original_name = models.CharField(max_length=200)
    content_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="Bytes.")
    digest = models.CharField(max_length=71, help_text="`sha256:` + hex, of the content.")
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    filed_at = models.DateTimeField()

    if TYPE_CHECKING:

        def get_kind_display(self) -> str: ...

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_from__lte=F("valid_until")),
                name="accounts_document_lasts",
            )
        ]
        indexes = [models.Index(fields=["point", "kind", "-id"], name="accounts_document_newest")]
