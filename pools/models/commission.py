"""The commission's work: its keys, two independent entries of the result, the signed protocol (¶10, ¶30)."""

from django.conf import settings
from django.db import models

from pools.models.pools import Pool


class CommissionKey(models.Model):
    """A member's Ed25519 key. The private half is wrapped by a passphrase that only the member knows.

    The database refuses any change but its revocation, once.
    """

    key_id = models.CharField(max_length=40, primary_key=True)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="commission_keys")
    public = models.CharField(max_length=44, help_text="32 bytes in base64.")
    wrapped_private = models.TextField(help_text="PKCS #8 PEM, encrypted with the passphrase stretched by scrypt.")
    passphrase_cost = models.PositiveIntegerField(help_text="scrypt's N, as it was when the key was made.")
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member"], condition=models.Q(revoked_at__isnull=True), name="pools_one_key_in_force"
            )
        ]


class PoolMember(models.Model):
    """A member of the commission appointed for a pool. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "member_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="members", db_index=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")


class ResultEntry(models.Model):
    """What one member, without seeing the other's entry, says the result is. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "member_id", "attempt")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="result_entries", db_index=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    attempt = models.PositiveSmallIntegerField(help_text="From 1; a mismatch is entered again.")
    result_text = models.TextField(help_text="Canonical JSON: conditions, event_void, first_started_at.")
    entered_at = models.DateTimeField()


class Protocol(models.Model):
    """The result protocol of a pool. Once sealed the database refuses any change (H2).

    `document_text` is the canonical result.json without signatures: exactly what the members sign.
    """

    pk = models.CompositePrimaryKey("pool_id", "version")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="protocols", db_index=False)
    version = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=40)
    document_text = models.TextField()
    drawn_up_at = models.DateTimeField()
    sealed_at = models.DateTimeField(null=True, help_text="When the last needed signature was given.")


class ProtocolSignature(models.Model):
    """One member's signature under a protocol. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "version", "key_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    version = models.PositiveSmallIntegerField()
    key = models.ForeignKey(CommissionKey, on_delete=models.PROTECT, related_name="+")
    signature = models.CharField(max_length=88, help_text="64 bytes in base64.")
    signed_at = models.DateTimeField()
