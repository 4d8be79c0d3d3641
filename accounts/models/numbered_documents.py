"""Documents with numbers of their own: without gaps, by kind and year, and what each one says, frozen."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class NumberedKind(models.TextChoices):
    """What a numbered document is. A handover, an order and a withdrawal have the numbers of their own rows."""

    RECEIPT = "receipt", _("receipt of a payment in cash")
    TOP_UP = "top_up", _("receipt of a top-up")
    CARD_SALE = "card_sale", _("receipt of a prepaid card")
    WITHDRAWAL = "withdrawal", _("confirmation of a withdrawal")
    SUSPICION = "suspicion", _("report of a suspicious operation")


class DocumentCounter(models.Model):
    """The last number given out of a kind in a year. Who takes the next one holds this row until it is written."""

    pk = models.CompositePrimaryKey("kind", "year")
    kind = models.CharField(max_length=12, choices=NumberedKind)
    year = models.PositiveSmallIntegerField(help_text="Of the legal day (Europe/Minsk).")
    last = models.PositiveIntegerField()


class NumberedDocument(models.Model):
    """One document: its number, and the facts that it is drawn from. Append-only; it names no person."""

    pk = models.CompositePrimaryKey("kind", "year", "number")
    kind = models.CharField(max_length=12, choices=NumberedKind)
    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField(help_text="From 1, without gaps.")
    subject = models.CharField(max_length=120, help_text="What it is about: `bet:2411-1-…`, `topup:17`.")
    text = models.TextField(help_text="The facts, as canonical JSON.")
    digest = models.CharField(max_length=71, help_text="Of the text.")
    issued_at = models.DateTimeField()
    issued_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "subject"], name="accounts_document_once")]

    def __str__(self) -> str:
        return f"{self.number}/{self.year}"
