"""Accounts, transfers and entries. Only `accounts.ledger.posting` writes them."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q

from accounts.ledger.kinds import AccountKind, TransferKind

# Transfers that belong to no pool are written in the house's book.
HOUSE_BOOK = 0


class LedgerAccount(models.Model):
    """One account, in kopecks of BYN.

    `debits` and `credits` only grow; they are kept for accounts that a race could overdraw, and NULL for the
    rest, whose balance is the sum of their entries.
    """

    kind = models.CharField(max_length=20, choices=AccountKind)
    owner = models.CharField(max_length=40, help_text="Whose it is: `17`, `2411-1`, `sportloto`, or empty.")
    guarded = models.BooleanField()
    debit_normal = models.BooleanField()
    debits = models.BigIntegerField(null=True)
    credits = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "owner"], name="ledger_account_once"),
            models.CheckConstraint(
                name="ledger_counters_iff_guarded",
                condition=Q(guarded=True, debits__gte=0, credits__gte=0)
                | Q(guarded=False, debits__isnull=True, credits__isnull=True),
            ),
            models.CheckConstraint(
                name="ledger_never_overdrawn",
                condition=Q(guarded=False)
                | Q(debit_normal=True, debits__gte=F("credits"))
                | Q(debit_normal=False, credits__gte=F("debits")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.owner}"


class Transfer(models.Model):
    """One movement of money with its cause. Its key makes it happen once: posting it again is refused.

    `book` is the pool's id, or 0 for the house's book, so that a pool's money can be kept together.
    """

    pk = models.CompositePrimaryKey("book", "key")
    book = models.BigIntegerField()
    key = models.CharField(max_length=80)
    kind = models.CharField(max_length=20, choices=TransferKind)
    occurred_at = models.DateTimeField()
    cause = models.CharField(max_length=120, help_text="`bet:2411-1-…`, `protocol:17`, `till:3`.")
    reversal_of = models.CharField(max_length=80, null=True, help_text="Key of the reversed one, same book.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["book", "reversal_of"],
                condition=Q(reversal_of__isnull=False),
                name="ledger_reversed_once",
            )
        ]
        # Rows come in the order of time: a few kilobytes find a day among millions (Q2).
        indexes = [BrinIndex(fields=["occurred_at"], name="ledger_by_time", autosummarize=True)]


class Entry(models.Model):
    """Debit one account, credit another, the same amount: an unbalanced entry cannot be written."""

    pk = models.CompositePrimaryKey("book", "key", "line")
    book = models.BigIntegerField()
    key = models.CharField(max_length=80)
    line = models.SmallIntegerField(help_text="From 0 within the transfer.")
    debit = models.ForeignKey(LedgerAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    credit = models.ForeignKey(LedgerAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    amount = models.BigIntegerField()

    transfer = models.ForeignObject(
        Transfer,
        on_delete=models.DO_NOTHING,
        from_fields=["book", "key"],
        to_fields=["book", "key"],
        related_name="entries",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="ledger_amount_positive"),
            models.CheckConstraint(condition=~Q(debit=F("credit")), name="ledger_two_accounts"),
        ]
        indexes = [
            models.Index(fields=["debit", "book"], name="ledger_debits"),
            models.Index(fields=["credit", "book"], name="ledger_credits"),
        ]
