"""The commission's work: its keys, two independent entries of the result, the signed protocol (¶10, ¶30)."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

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


class KeyRevocationProposal(models.Model):
    """That a lost key should be revoked: proposed by one of the organizer's staff, approved by another. Append-only."""

    key = models.ForeignKey(CommissionKey, on_delete=models.PROTECT, related_name="revocation_proposals")
    reason = models.CharField(max_length=500)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()


class PoolMember(models.Model):
    """A member of the commission appointed for a pool. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "member_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="members", db_index=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    chair = models.BooleanField(default=False, help_text="Owner of the first key that the quorum names.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool"], condition=Q(chair=True), name="pools_one_chair")]


class ConflictDeclaration(models.Model):
    """That a member must not decide this pool, as the member says (¶10). Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "member_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="conflicts", db_index=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    declared_at = models.DateTimeField()


class ResultEntry(models.Model):
    """What one member, without seeing the other's entry, says the result is. Append-only."""

    pk = models.CompositePrimaryKey("pool_id", "member_id", "attempt")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="result_entries", db_index=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    attempt = models.PositiveSmallIntegerField(help_text="From 1; a mismatch is entered again.")
    result_text = models.TextField(help_text="Canonical JSON: conditions, event_void, first_started_at.")
    void_reasons = models.JSONField(default=dict, help_text="Why it did not take place: by condition code, or `event`.")
    evidence = ArrayField(models.BigIntegerField(), default=list, help_text="Numbers of `Evidence` of the pool.")
    corrects = models.PositiveSmallIntegerField(default=0, help_text="Version of the protocol; 0: a first result.")
    reason = models.CharField(max_length=500, blank=True, help_text="Of a correction.")
    document = models.CharField(max_length=200, blank=True, help_text="Of a correction: which paper says so.")
    entered_at = models.DateTimeField()


class Protocol(models.Model):
    """The result protocol of a pool. Once sealed the database refuses any change (H2).

    `document_text` is the canonical result.json without signatures: exactly what the members sign. Until the first
    signature a dissent can still be added to it, and nothing else.
    """

    pk = models.CompositePrimaryKey("pool_id", "version")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="protocols", db_index=False)
    version = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=40)
    attempt = models.PositiveSmallIntegerField(default=1, help_text="Of the two entries that it is drawn up from.")
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


class ProtocolDissent(models.Model):
    """What a member who disagrees has to say of a protocol. Append-only.

    Said before the first signature it is in the document that all sign; said later it is a statement of the member's
    own, signed with the member's key and shown beside.
    """

    pk = models.CompositePrimaryKey("pool_id", "version", "member_id")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="+", db_index=False)
    version = models.PositiveSmallIntegerField()
    member = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey(CommissionKey, on_delete=models.PROTECT, related_name="+")
    words = models.CharField(max_length=2_000)
    signature = models.CharField(max_length=88, blank=True, help_text="In base64; empty when in the document.")
    said_at = models.DateTimeField()


class LateAnnulment(models.Model):
    """That a result was annulled once the pool was settled: it is noted, and changes nothing (¶32). Append-only."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="late_annulments")
    condition = models.CharField(max_length=20, blank=True, help_text="Empty: the whole event.")
    reason = models.CharField(max_length=500)
    document = models.CharField(max_length=200, help_text="The paper that annuls it.")
    noted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    noted_at = models.DateTimeField()
