"""Who a player is, encrypted, and who has seen it with their own eyes (E1)."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.persons import Person
from totalizator.core.encrypted import EncryptedTextField


class Identity(models.Model):
    """A player's personal data. It changes only until it is verified."""

    person = models.OneToOneField(Person, on_delete=models.PROTECT, primary_key=True, related_name="identity")
    full_name = EncryptedTextField()
    birth_date = EncryptedTextField(help_text="ISO 8601: `1990-05-31`.")
    identity_number = EncryptedTextField(help_text="In one spelling: Latin capitals and digits.")
    claimed_digest = models.BinaryField(
        max_length=32, unique=True, help_text="Keyed, of the number: the person's own once it is verified (¶35.3)."
    )
    document = EncryptedTextField(help_text="Kind, series and number, issued by whom and when.")
    bank_account = EncryptedTextField(blank=True, help_text="In capitals, without spaces.")
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")


class VerificationMethod(models.TextChoices):
    """How staff saw the person and the document."""

    IN_PERSON = "in-person", _("in person")
    VIDEO = "video", _("by video")


class Verification(models.Model):
    """That staff compared the person with the document: how, who, when. Append-only."""

    person = models.OneToOneField(Person, on_delete=models.PROTECT, primary_key=True, related_name="verification")
    method = models.CharField(max_length=10, choices=VerificationMethod)
    verified_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    verified_at = models.DateTimeField()


class DeskResult(models.TextChoices):
    """What a desk is told about who stands before it; nothing more."""

    WELCOME = "welcome", _("may play")
    UNDER_AGE = "under_age", _("too young")
    BARRED = "barred", _("may not play")
    DOUBT = "doubt", _("the register is out of date: may not play")


class DeskCheck(models.Model):
    """That a desk asked about somebody: the answer and the time, and nothing of the person (C9). Append-only."""

    result = models.CharField(max_length=10, choices=DeskResult)
    checked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    checked_at = models.DateTimeField()
