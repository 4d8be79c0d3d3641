"""The equipment that bets are taken by: terminals, and the examination certificates of tills and terminals (¶7)."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models.points import Till
from totalizator.core.encrypted import EncryptedTextField


class KeyKind(models.TextChoices):
    """How a terminal signs its requests."""

    HMAC = "hmac", _("HMAC-SHA256 with a shared secret")
    ED25519 = "ed25519", _("Ed25519")


class Terminal(models.Model):
    """A device that sells by signed requests; its cash is that of the till which it stands at."""

    till = models.ForeignKey(Till, on_delete=models.PROTECT, related_name="terminals")
    serial = models.CharField(max_length=60, unique=True)
    key_id = models.CharField(max_length=32, unique=True)
    key_kind = models.CharField(max_length=8, choices=KeyKind)
    secret = EncryptedTextField(null=True, help_text="Of an HMAC: 64 hex digits.")
    public_key = models.CharField(max_length=64, blank=True, help_text="Of Ed25519: 64 hex digits.")
    enabled = models.BooleanField(default=True)
    closed_at = models.DateTimeField(null=True, help_text="Closed for good.")
    seen_at = models.DateTimeField(null=True, help_text="The last heartbeat of an unbroken link; empty: never synced.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(key_kind="hmac", secret__isnull=False, public_key="")
                | (Q(key_kind="ed25519", secret__isnull=True) & ~Q(public_key="")),
                name="accounts_terminal_has_its_key",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(enabled=False), name="accounts_closed_terminal_is_off"
            ),
        ]

    def __str__(self) -> str:
        return self.serial

    @property
    def actor(self) -> str:
        """How the journal names it."""
        return f"terminal:{self.pk}"


class TerminalNonce(models.Model):
    """A nonce that a terminal has used; kept as long as its time would still be accepted."""

    pk = models.CompositePrimaryKey("terminal_id", "nonce")
    terminal = models.ForeignKey(Terminal, on_delete=models.CASCADE, related_name="+", db_index=False)
    nonce = models.CharField(max_length=64)
    used_at = models.DateTimeField(db_index=True)


class EquipmentCertificate(models.Model):
    """That a till or a terminal was examined (¶7). Append-only: the newest that has begun counts."""

    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="certificates")
    terminal = models.ForeignKey(Terminal, on_delete=models.PROTECT, null=True, related_name="certificates")
    number = models.CharField(max_length=60)
    valid_from = models.DateField(help_text="First day in Europe/Minsk.")
    valid_until = models.DateField(help_text="Last day.")
    registered_by = models.CharField(max_length=80, help_text="As in the journal.")
    registered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(till__isnull=False, terminal__isnull=True) | Q(till__isnull=True, terminal__isnull=False),
                name="accounts_certificate_of_one",
            ),
            models.CheckConstraint(condition=Q(valid_from__lte=F("valid_until")), name="accounts_certificate_lasts"),
        ]
