"""Rows by which the system itself is proved: seals of the journal, and the register of releases (S1, R2)."""

from django.db import models

from totalizator.core.fields import IdRangesField, id_ranges


class JournalSeal(models.Model):
    """A batch of journal rows, chained to the batch before. Append-only; no row is in two seals (S1)."""

    number = models.BigIntegerField(primary_key=True, help_text="From 1, without a gap.")
    previous = models.CharField(max_length=71, unique=True, null=True, help_text="The digest of the seal before.")
    at = models.DateTimeField(help_text="By the database's clock.")
    ids = IdRangesField(help_text="Exactly the rows in it: ids are committed out of order.")
    count = models.BigIntegerField()
    rows = models.CharField(max_length=71, help_text="The digest of the rows' lines, by id.")
    marks = models.BinaryField(help_text="Eight bytes of each row's digest, by id: which row was changed.")
    digest = models.CharField(max_length=71, help_text="Of all above but the marks.")


class JournalSealer(models.Model):
    """How far the sealer is; one row. What is missing below `last` is being written, or was rolled back."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    last = models.BigIntegerField(default=0, help_text="The highest id sealed or seen as missing.")
    missing = IdRangesField(default=id_ranges, help_text="Ids not seen, noticed since the last look at who writes.")
    missing_long = IdRangesField(default=id_ranges, help_text="Ids not seen that only `writers` can still write.")
    writers = models.JSONField(default=list, help_text="Transactions that were writing to the journal at that look.")

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="core_journal_sealer_one_row")]


class Release(models.Model):
    """The register of releases: which code and configuration was put in service, when and why (R2, R4). Append-only."""

    number = models.PositiveIntegerField(primary_key=True, help_text="From 1, without a gap.")
    digest = models.CharField(max_length=71, help_text="Of the files and the configuration.")
    files = models.JSONField(help_text="Path → digest, of every file that decides what the system does.")
    configuration = models.JSONField(help_text="Setting → value, or the digest of a secret one.")
    change = models.TextField(help_text="The change record: notice, evidence of tests, approval.")
    change_number = models.PositiveIntegerField(
        null=True, unique=True, help_text="The change record that two people approved; empty only outside production."
    )
    registered_at = models.DateTimeField()
    registered_by = models.CharField(max_length=80)
