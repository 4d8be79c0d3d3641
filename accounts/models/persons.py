"""A person, whichever way they play: by account, and by name at a desk. Limits and exclusions bind persons (X15)."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Person(models.Model):
    """Who plays, under a token that names nobody: the keyed digest of the identity number.

    A player has one from the opening of the game account, without a number until the identity is verified. Who only
    ever came to a desk has one with a number and without an account; once that person opens an account, it becomes the
    account's, and the one that the account had is left without both.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="person", null=True, blank=True
    )
    number_digest = models.BinaryField(
        max_length=32, null=True, unique=True, help_text="Keyed; unique: one account a person (¶35.3)."
    )

    def __str__(self) -> str:
        return f"person {self.pk}"

    @property
    def subject(self) -> str:
        """How the journal names this person."""
        return f"person:{self.pk}"


class TraitKind(models.TextChoices):
    """What two accounts of one person are likely to have in common (¶35.3)."""

    NAME_AND_BIRTH = "name_birth", _("name and birth date")
    BANK_ACCOUNT = "bank", _("bank account")
    CARD = "card", _("card")
    DEVICE = "device", _("device")


class Trait(models.Model):
    """Something seen of a person, as a keyed digest."""

    pk = models.CompositePrimaryKey("person_id", "kind", "value_digest")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="traits", db_index=False)
    kind = models.CharField(max_length=10, choices=TraitKind)
    value_digest = models.BinaryField(max_length=32)
    first_seen_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["kind", "value_digest"], name="accounts_trait_alike")]
