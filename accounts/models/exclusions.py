"""Who may not play for a time: by their own wish, or as the national register says (P2)."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.persons import Person


class ExclusionKind(models.TextChoices):
    """What a person asked for."""

    COOLING_OFF = "cooling_off", _("cooling-off")
    SELF_EXCLUSION = "self_exclusion", _("self-exclusion")


class Exclusion(models.Model):
    """A time in which a person may not play. Append-only: nothing shortens it."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="exclusions")
    kind = models.CharField(max_length=16, choices=ExclusionKind)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField(help_text="Exclusive.")
    asked_by = models.CharField(max_length=80, help_text="As in the journal: the player, or who served them at a desk.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(begins_at__lt=F("ends_at")), name="accounts_exclusion_lasts")]


class ForwardedExclusion(models.Model):
    """That an application for self-exclusion was sent on to the keeper of the register. Append-only."""

    exclusion = models.OneToOneField(Exclusion, on_delete=models.PROTECT, primary_key=True, related_name="forwarded")
    reference = models.CharField(max_length=200, help_text="Of the message or letter.")
    forwarded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    forwarded_at = models.DateTimeField()


class RegisterImport(models.Model):
    """One reading of the register of restricted persons. Append-only."""

    as_of = models.DateTimeField(help_text="The state of the register that the file shows.")
    imported_at = models.DateTimeField()
    imported_by = models.CharField(max_length=80)
    lines = models.PositiveIntegerField()
    faults = models.PositiveIntegerField(help_text="Lines that could not be read; only 0 makes the register fresh.")

    class Meta:
        indexes = [
            models.Index(fields=["-as_of"], condition=Q(faults=0), name="accounts_register_complete"),
        ]


class ShrunkenRegister(models.Model):
    """A file of the register that lacks more than is trusted: one of the staff says why it is right, another agrees.

    The file itself is personal data, so only its digest is kept.
    """

    file_digest = models.CharField(max_length=71, db_index=True)
    reason = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    approved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True, approved_at__isnull=True)
                | (Q(approved_by__isnull=False, approved_at__isnull=False) & ~Q(approved_by=F("proposed_by"))),
                name="accounts_register_shrunk_by_two",
            )
        ]


class RestrictedPerson(models.Model):
    """A person whom the register names, by the keyed digest of the identity number alone."""

    number_digest = models.BinaryField(max_length=32, primary_key=True)
    until = models.DateField(null=True, help_text="Last restricted day; empty: until the register drops the person.")
    lifted_at = models.DateTimeField(null=True, help_text="When a complete register no longer named the person.")
    last_import = models.ForeignKey(RegisterImport, on_delete=models.PROTECT, related_name="+")
