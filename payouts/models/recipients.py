"""Who a winning is paid to, where the law wants a name: encrypted, one row for each person."""

from django.db import models

from accounts.models import Person
from totalizator.core.encrypted import EncryptedTextField


class Recipient(models.Model):
    """What the document said of who was paid at a desk; a later one takes its place, since names change.

    What it said before is kept as `FormerRecipient`.
    """

    person = models.OneToOneField(Person, on_delete=models.PROTECT, primary_key=True, related_name="recipient")
    full_name = EncryptedTextField()
    identity_number = EncryptedTextField(help_text="In one spelling: Latin capitals and digits.")
    document = EncryptedTextField(help_text="Kind, series and number, issued by whom and when.")
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")


class FormerRecipient(models.Model):
    """What an earlier document said of the same person, until another was shown. Append-only."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="former_recipients")
    full_name = EncryptedTextField()
    identity_number = EncryptedTextField()
    document = EncryptedTextField()
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=80)
    replaced_at = models.DateTimeField()
