"""The public log: what was published, line by line, its Merkle tree, and a signed head for every line (X6)."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class LogKind(models.TextChoices):
    """What a line of the log is about."""

    COMMITMENT = "commitment", _("commitment to the bets of a pool")
    PROTOCOL = "protocol", _("protocol of a result")
    SETTLEMENT = "settlement", _("official settlement")
    CORRECTION = "correction", _("correcting document")
    AMENDMENT = "amendment", _("what a correction of a settlement changed")
    JOURNAL = "journal", _("state of the journal")
    REPORT = "report", _("report for the public")


class LogEntry(models.Model):
    """One line. Append-only; indexes have no gaps."""

    index = models.BigIntegerField(primary_key=True, help_text="From 0.")
    kind = models.CharField(max_length=10, choices=LogKind)
    subject = models.CharField(max_length=120, help_text="Of a pool's documents the pool's code.")
    version = models.PositiveIntegerField()
    digest = models.CharField(max_length=71, help_text="Of the published file's bytes.")
    at = models.DateTimeField(help_text="Never before that of the line above.")
    line = models.TextField(help_text="The line itself, without its newline: what is hashed.")

    class Meta:
        indexes = [models.Index(fields=["subject", "index"], name="pools_log_subject")]

    def __str__(self) -> str:
        return self.line


class LogNode(models.Model):
    """The hash of a full subtree of 2^level lines; with them a proof needs few rows. Append-only."""

    pk = models.CompositePrimaryKey("level", "position")
    level = models.PositiveSmallIntegerField()
    position = models.BigIntegerField(help_text="Among the subtrees of its level, from 0.")
    hash = models.BinaryField(max_length=32)


class LogHead(models.Model):
    """The signed head of the first `size` lines, written together with the last of them. Append-only."""

    size = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField(help_text="Read while nobody else could append; never before that of a smaller head.")
    root = models.CharField(max_length=64, help_text="Hex.")
    document_text = models.TextField(help_text="The head as published: canonical JSON with its signature.")

    class Meta:
        indexes = [models.Index(fields=["at", "size"], name="pools_log_head_at")]

    def __str__(self) -> str:
        return self.document_text


class LogStamp(models.Model):
    """A time-stamp (RFC 3161) of somebody else over a head, verified before it was written (X1). Append-only."""

    head = models.ForeignKey(LogHead, on_delete=models.PROTECT, related_name="stamps")
    authority = models.CharField(max_length=60, help_text="As the settings call it.")
    at = models.DateTimeField(help_text="The authority's time.")
    serial = models.CharField(max_length=80, help_text="The authority's number of the token.")
    answer = models.BinaryField(help_text="The TimeStampResp in DER; it is over head.json.")
    received_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["head", "authority"], name="pools_head_stamped_once")]

    def __str__(self) -> str:
        return f"{self.authority} {self.serial}"
