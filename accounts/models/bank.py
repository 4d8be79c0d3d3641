"""What the bank says of the organizer's accounts: statements and their lines, each line once (¶35.5, ¶9.8)."""

from django.db import models
from django.db.models import Q

from accounts.models.payment_orders import PaymentOrder
from totalizator.core.encrypted import EncryptedTextField


class OwnBankAccount(models.Model):
    """An account of the organizer's at a bank. A statement of any other account is refused."""

    iban = models.CharField(max_length=34, unique=True)
    bank = models.CharField(max_length=11, help_text="BIC.")
    holder = models.CharField(max_length=140, help_text="As the bank writes it.")
    entered_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.iban


class BankStatement(models.Model):
    """One statement of one account, as it was imported. Append-only."""

    account = models.ForeignKey(OwnBankAccount, on_delete=models.PROTECT, related_name="statements", db_index=False)
    file_digest = models.CharField(max_length=71)
    place = models.PositiveIntegerField(help_text="The line in the file in which it begins.")
    form = models.CharField(max_length=10, help_text="`camt.053`, `mt940`, `csv`.")
    number = models.CharField(max_length=80, blank=True)
    opening = models.BigIntegerField(null=True, help_text="Kopecks; empty where the file does not say.")
    closing = models.BigIntegerField(null=True)
    lines_in_file = models.PositiveIntegerField()
    lines_new = models.PositiveIntegerField(help_text="The others were known from an earlier file.")
    imported_at = models.DateTimeField()
    imported_by = models.CharField(max_length=80, help_text="As in the journal: `user:12`.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "file_digest", "place"], name="accounts_statement_once")
        ]


class BankLine(models.Model):
    """One booked movement of an account, whichever files it came in. Append-only.

    `identity` is the same for the same movement in any format: a keyed digest of account, day, direction, amount and
    the bank's reference (where the bank gives none: of the other party and the purpose), counted within the file.
    A remittance of the post's register is a line too: `part_of` the line by which the post has paid them all.
    """

    statement = models.ForeignKey(BankStatement, on_delete=models.PROTECT, related_name="lines")
    account = models.ForeignKey(OwnBankAccount, on_delete=models.PROTECT, related_name="lines", db_index=False)
    place = models.PositiveIntegerField(help_text="The line in the file.")
    booked_on = models.DateField()
    is_credit = models.BooleanField()
    amount = models.BigIntegerField(help_text="Kopecks.")
    bank_reference = models.CharField(max_length=80, blank=True)
    end_to_end_id = models.CharField(max_length=80, blank=True)
    identity = models.BinaryField(max_length=32, unique=True)
    order = models.OneToOneField(
        PaymentOrder,
        on_delete=models.PROTECT,
        null=True,
        related_name="bank_line",
        help_text="The payment order that this debit executes.",
    )
    part_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="remittances", db_index=False)
    resembles = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The line that tells the same payment, maybe: until two people know, this one is not in the books.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(is_credit=True) | Q(part_of__isnull=True), name="accounts_remittance_is_credit"
            ),
            models.CheckConstraint(
                condition=Q(resembles__isnull=True) | Q(is_credit=True, part_of__isnull=True),
                name="accounts_doubtful_line_is_credit",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="accounts_bank_line_positive"),
            models.CheckConstraint(
                condition=Q(is_credit=False) | Q(order__isnull=True), name="accounts_order_is_debit"
            ),
        ]
        indexes = [
            models.Index(fields=["part_of"], condition=Q(part_of__isnull=False), name="accounts_bank_line_remittances"),
            models.Index(fields=["id"], condition=Q(resembles__isnull=False), name="accounts_doubtful_lines"),
            models.Index(fields=["account", "booked_on", "bank_reference"], name="accounts_bank_references"),
            models.Index(fields=["id"], condition=Q(is_credit=False, order__isnull=True), name="accounts_other_debits"),
        ]

    def __str__(self) -> str:
        return f"bank line {self.pk}"


class BankLineWords(models.Model):
    """What a line says of people: the other party and the purpose, encrypted. Never changed but by a new key."""

    line = models.OneToOneField(BankLine, on_delete=models.PROTECT, primary_key=True, related_name="words")
    party_name = EncryptedTextField()
    party_account = EncryptedTextField()
    party_bank = EncryptedTextField()
    party_address = EncryptedTextField(default="", help_text="Where the sender of a remittance by post lives.")
    purpose = EncryptedTextField()
